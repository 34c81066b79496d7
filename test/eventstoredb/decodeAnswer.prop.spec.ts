import { expect } from 'chai'
import fc from 'fast-check'
import { decodeAnswer } from '../../src/logs/eventstoredb/decodeAnswer.js'
import { recordedBytes } from './protocol.js'
import { sharedMessages, streamsMessages } from './stubs.js'

const anyEvent = fc.record({
  id: fc.uuid(),
  type: fc.string({ unit: 'binary' }),
  contentType: fc.constant('application/octet-stream'),
  data: fc.uint8Array({ maxLength: 500 }),
  metadata: fc.jsonValue().map((value) => new Uint8Array(Buffer.from(JSON.stringify(value)))),
})

const anyRevision = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })

describe('The decoder of what the server sends', () => {
  it("finds what the client's own decoder finds", () => {
    fc.assert(
      fc.property(anyRevision, anyEvent, (revision, event) => {
        const bytes = recordedBytes('stream', revision, event)
        const reference = streamsMessages.ReadResp.deserializeBinary(bytes).getEvent()?.getEvent()
        const answer = decodeAnswer(bytes)
        if (answer.kind !== 'event') throw new Error(`it is a ${answer.kind}`)
        expect(String(answer.event.revision)).to.equal(reference?.getStreamRevision())
        expect(answer.event.type).to.equal(reference?.getMetadataMap().get('type'))
        expect(Buffer.from(answer.event.data as Uint8Array).equals(reference!.getData_asU8())).to.equal(true)
        expect(answer.event.metadata).to.deep.equal(
          JSON.parse(Buffer.from(reference!.getCustomMetadata_asU8()).toString()),
        )
      }),
    )
  })

  it('knows a stream that is not there from an event, and from all that does not matter', () => {
    const missing = new streamsMessages.ReadResp.StreamNotFound()
    missing.setStreamIdentifier(new sharedMessages.StreamIdentifier())
    const notFound = new streamsMessages.ReadResp()
    notFound.setStreamNotFound(missing)
    expect(decodeAnswer(Buffer.from(notFound.serializeBinary()))).to.deep.equal({ kind: 'no stream' })
    const other = new streamsMessages.ReadResp()
    other.setLastStreamPosition('7')
    expect(decodeAnswer(Buffer.from(other.serializeBinary()))).to.deep.equal({ kind: 'other' })
    expect(decodeAnswer(Buffer.alloc(0))).to.deep.equal({ kind: 'other' })
  })

  it('refuses bytes that are cut off, instead of reading on', () => {
    fc.assert(
      fc.property(anyRevision, anyEvent, fc.nat(), (revision, event, at) => {
        const bytes = recordedBytes('stream', revision, event)
        const cut = bytes.subarray(0, 1 + (at % (bytes.length - 1)))
        expect(() => decodeAnswer(cut)).to.throw('ends too soon')
      }),
    )
  })
})
