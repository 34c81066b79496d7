/** How many live streams are open at a time, and how much one may leave unread. */
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import type { FastifyReply } from 'fastify'
import { httpLimits } from './limits.js'
import { Streams } from './Streams.js'

/** A reader that takes nothing. */
const replyTo = (): { readonly raw: PassThrough; readonly reply: FastifyReply } => {
  const raw = new PassThrough({ highWaterMark: 1 })
  const reply = { raw: Object.assign(raw, { writeHead: () => raw }), hijack: () => undefined, getHeaders: () => ({}) }
  return { raw, reply: reply as unknown as FastifyReply }
}

describe('Live streams', () => {
  it('are so many at a time and no more, from however many addresses', () => {
    const streams = new Streams()
    const open = (number: number) =>
      streams.open({ ...replyTo(), principal: { name: 'a client', permissions: [], from: `address ${number}` } })
    for (let number = 0; number < httpLimits.httpStreams; number++) open(number)
    expect(() => open(httpLimits.httpStreams))
      .to.throw(`${httpLimits.httpStreams} in all`)
      .with.property('code', 'rate-exceeded')
    streams.close()
  })

  it('are hung up on when their reader leaves too much unread, and not before', () => {
    const { raw, reply } = replyTo()
    const stream = new Streams().open({ reply, principal: { name: 'a client', permissions: [], from: 'here' } })
    const data = 'x'.repeat(httpLimits.httpStreamUnreadBytes / 4)
    for (let sent = 0; sent < 3; sent++) stream.send({ event: 'event', data })
    expect([raw.destroyed, stream.isOpen()]).to.deep.equal([false, true])
    for (let sent = 0; sent < 3; sent++) stream.send({ event: 'event', data })
    expect([raw.destroyed, stream.isOpen()]).to.deep.equal([true, false])
  })
})
