import { expect } from 'chai'
import fc from 'fast-check'
import { zeroHash } from '../encoding/hash.js'
import { instantFromMillis } from '../time/Instant.js'
import { LineBuffer } from './LineBuffer.js'
import { hashAfterTick, joinedLines, linesOf, rememberLines } from './Tick.js'

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.integer({ max: 9_000, min: 0 }).map((n) => 'ä'.repeat(n)),
)
const written = fc.array(fc.record({ line: text, isKept: fc.boolean() }), { maxLength: 40 })

describe('The lines of a tick as bytes', () => {
  it('are those of the joined text, whatever was written and not kept, tick after tick', () => {
    const buffer = new LineBuffer()
    fc.assert(
      fc.property(fc.array(written, { maxLength: 3 }), (ticks) => {
        for (const lines of ticks) {
          buffer.clear()
          const kept: string[] = []
          for (const { line, isKept } of lines) {
            const bytes = buffer.write(line)
            expect(bytes).to.equal(Buffer.byteLength(line))
            if (!isKept) continue
            buffer.keep(bytes)
            kept.push(line)
          }
          expect(Buffer.from(buffer.copy()).toString()).to.equal(Buffer.from(kept.join('\n')).toString())
        }
      }),
    )
  })

  it('are hashed as the text is, and are the text for whoever asks for that', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), (events) => {
        const before = { hash: zeroHash, signature: '' }
        const tick = { number: 1, firstRevision: 0, at: instantFromMillis(0), events }
        const remembered = [...events]
        rememberLines(remembered, Buffer.from(events.join('\n')))
        expect(hashAfterTick(before, { ...tick, events: remembered })).to.equal(hashAfterTick(before, tick))
        expect(linesOf(remembered)).to.equal(events.join('\n'))
        expect(joinedLines(remembered)).to.be.instanceOf(Uint8Array)
      }),
    )
  })
})
