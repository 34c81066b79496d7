import { expect } from 'chai'
import { serverSentEvents, type ServerSentEvent } from './serverSentEvents.js'

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let from = 0; from < bytes.length; from += size) yield await Promise.resolve(bytes.slice(from, from + size))
}

describe('server-sent events', () => {
  const text =
    'retry: 1000\n\nid: 7\nevent: event\ndata: {"text":"Glöckner"}\n\n: alive\n\nevent: live\ndata: a\ndata: b\n\nid: 8\ndata: cut o'

  it('are the same however the bytes are cut, without comments and without what was cut off', async () => {
    for (const size of [1, 3, 1_000]) {
      const seen: ServerSentEvent[] = []
      for await (const event of serverSentEvents(inPieces(text, size))) seen.push(event)
      expect(seen, `in pieces of ${size}`).to.deep.equal([
        { id: '7', event: 'event', data: '{"text":"Glöckner"}' },
        { event: 'live', data: 'a\nb' },
      ])
    }
  })
})
