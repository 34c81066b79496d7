import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalText, type Json } from '../encoding/canonical.js'
import { envelopeOf, openEnvelope } from './envelopeText.js'
import { EnvelopeC, type Message } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'

const payload = fc
  .json({ stringUnit: 'binary' })
  .map((text) => JSON.parse(text) as Json)
  .filter((value) => {
    try {
      canonicalText(value)
      return true
    } catch {
      return false
    }
  })

const message: fc.Arbitrary<Message> = fc.oneof(
  payload.map((value) => ({ kind: 'data' as const, payload: value })),
  fc.constant({ kind: 'end' as const }),
)

const place = fc.record({
  session: fc.stringMatching(/^[0-9a-f]{32}$/).map((text) => text as SessionId),
  role: fc.constantFrom('initiator' as const, 'responder' as const),
  seq: fc.nat(),
})

describe('The text of an envelope', () => {
  it('is that of the same envelope with its message read, and is read back as that', () => {
    fc.assert(
      fc.property(place, message, ({ session, role, seq }, sent) => {
        const plain = { kind: 'message' as const, session, from: role, seq, message: sent }
        const envelope = envelopeOf({ session, role, seq, text: canonicalText(sent) })
        expect(canonicalText(envelope)).to.equal(canonicalText(plain))
        expect(
          JSON.parse(JSON.stringify(envelope)),
          'as a transport writes it that knows nothing of its text',
        ).to.deep.equal(JSON.parse(canonicalText(plain)))
        const opened = openEnvelope(canonicalText(envelope))
        expect(opened).to.deep.equal(JSON.parse(canonicalText(plain)))
        expect(EnvelopeC.is(opened)).to.equal(true)
      }),
    )
  })

  it('leaves of what it carries the text that would be encoded', () => {
    fc.assert(
      fc.property(place, payload, ({ session, role, seq }, carried) => {
        const text = canonicalText({ kind: 'data', payload: carried })
        const opened = openEnvelope(canonicalText(envelopeOf({ session, role, seq, text })))
        if (opened.kind !== 'message' || opened.message.kind !== 'data') throw new Error('It carries data.')
        expect(canonicalText(opened.message.payload)).to.equal(canonicalText(carried))
      }),
    )
  })
})
