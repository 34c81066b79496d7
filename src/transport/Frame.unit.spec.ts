/** How frames are cut out of what arrives, and what is held meanwhile. */
import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalText } from '../encoding/canonical.js'
import { encodeFrame, FrameReader, FrameRefused, greetingFrame, type Frame } from './Frame.js'
import { frameLimits } from './limits.js'

const checkpointAsked = canonicalText([{ kind: 'checkpoint-asked' }])

describe('A reader of frames', () => {
  it('finds the same frames, however what arrives is cut', () => {
    const frames = [greetingFrame(), encodeFrame('[]'), encodeFrame(checkpointAsked), encodeFrame('[]')]
    const bytes = Buffer.concat(frames)
    const whole = [...new FrameReader().feed(bytes)]
    expect(whole.map(({ kind }) => kind)).to.deep.equal(['greeting', 'envelopes', 'envelopes', 'envelopes'])
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 }), (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), bytes.length]
        const reader = new FrameReader()
        const found: Frame[] = []
        for (const [index, from] of cuts.entries()) found.push(...reader.feed(bytes.subarray(from, cuts[index + 1])))
        expect(found).to.deep.equal(whole)
      }),
    )
  })

  it('keeps nothing of a chunk but its bytes, so that a frame which comes byte by byte takes no more room than its length', () => {
    const reader = new FrameReader()
    const frame = encodeFrame(checkpointAsked)
    const found: Frame[] = []
    for (let at = 0; at < frame.length; at++) {
      const chunk = Buffer.from(frame.subarray(at, at + 1))
      found.push(...reader.feed(chunk))
      // What is still read after this was copied.
      chunk.fill(0)
    }
    expect(found).to.deep.equal([
      { kind: 'envelopes', envelopes: [{ kind: 'checkpoint-asked' }], bytes: frame.length - 4 },
    ])
  })

  it('refuses a frame that is too long by its first four bytes', () => {
    const announced = Buffer.alloc(4)
    announced.writeUInt32BE(frameLimits.frameBytes + 1)
    const reader = new FrameReader()
    expect([...reader.feed(announced.subarray(0, 3))]).to.deep.equal([])
    expect(() => [...reader.feed(announced.subarray(3))]).to.throw(FrameRefused, /announces 1048577 bytes/)
  })
})
