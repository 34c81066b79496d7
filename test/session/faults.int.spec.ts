/** What sessions promise when something is wrong: a typed answer to whoever asked, and nothing stuck. */
import { expect } from 'chai'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineFlow,
  defineResponder,
  IntegerC,
  PartyC,
  type FlowBody,
  type FlowId,
  type FlowSummary,
} from 'carillon'
import type { Logger } from 'carillon/telemetry'
import { VirtualNetwork } from 'carillon/testing'
import type { Envelope } from '../../src/log/Message.js'
import { sessionIdOf } from '../../src/log/SessionId.js'
import { sha256 } from '../../src/encoding/hash.js'
import { messageLimits, sessionLimits } from '../../src/session/limits.js'
import { app, Deaf, Modern, Tell, Unheard, Wait } from './talk.js'

const start = (seed: string, logger?: Logger) =>
  VirtualNetwork.start({
    parties: { Alice: { app }, Bob: { app }, Mallory: { app } },
    seed,
    ...(logger === undefined ? {} : { logger }),
  })

const errorOf = async (network: VirtualNetwork, id: FlowId): Promise<CarillonError> => {
  const failure: unknown = await network
    .node('Alice')
    .resultOf(id)
    .catch((error: unknown) => error)
  if (failure instanceof CarillonError) return failure
  throw new Error(`the flow did not fail: ${JSON.stringify(failure)}`)
}

const flowsAt = async (network: VirtualNetwork, name: string): Promise<readonly FlowSummary[]> =>
  (await network.node(name).flows()).items

const tell = async (network: VirtualNetwork, ...says: readonly (string | number | object)[]) =>
  (await network.node('Alice').start(Tell, { to: [network.party('Bob')], says: says as never })).id

/** Every event of a node's log, as text. */
const logOf = async (network: VirtualNetwork, name: string): Promise<readonly string[]> => {
  const lines: string[] = []
  for await (const tick of network.node(name).readLog()) lines.push(...tick.events)
  return lines
}

/** Puts envelopes on the wire in a party's name, as that party's own node could. */
const post = (network: VirtualNetwork, from: string, to: string, ...envelopes: readonly unknown[]): void => {
  network.transport.endpoint(network.party(from).key).send(network.party(to).key, envelopes as readonly Envelope[])
}

describe('A session', () => {
  it('ends with the error of the other side, and the typed code is told', async () => {
    const network = await start('fails')
    const id = await tell(network, 1, 'fail')
    await network.advanceBy({ minutes: 1 })
    const failure = await errorOf(network, id)
    expect(failure.code).to.equal('counterparty-failed')
    expect(failure.details).to.include({ party: 'Bob', code: 'state-unknown' })
    expect((await flowsAt(network, 'Bob'))[0]).to.include({ status: 'failed' })
  })

  it('does not tell what an untyped error of the other side said', async () => {
    const network = await start('throws')
    const id = await tell(network, 'throw')
    await network.advanceBy({ minutes: 1 })
    expect((await errorOf(network, id)).message).not.to.contain('secret')
    expect((await flowsAt(network, 'Bob'))[0]?.error?.message).to.contain('secret')
  })

  it('to a flow nobody responds to is refused by name', async () => {
    const network = await start('unknown')
    const { id } = await network.node('Alice').start(Unheard, { to: network.party('Bob') })
    await network.advanceBy({ minutes: 1 })
    expect((await errorOf(network, id)).details).to.include({ party: 'Bob', code: 'flow-unknown' })
    expect(await flowsAt(network, 'Bob')).to.deep.equal([])
  })

  it('in a version the other side does not speak is refused with the versions it does', async () => {
    const network = await start('version')
    const { id } = await network.node('Alice').start(Modern, { to: network.party('Bob') })
    await network.advanceBy({ minutes: 1 })
    const failure = await errorOf(network, id)
    expect(failure.details).to.include({ code: 'flow-version-unsupported' })
    expect(failure.message).to.contain('versions 1 to 2')
  })

  it('is held in the version of whoever opens it, as far as the other side speaks that', async () => {
    const speaking = (version: number, versions: readonly [number, number]) => {
      const Speak = defineFlow({
        name: 'talk/Speak',
        version,
        input: t.strict({ to: PartyC }),
        *run(io, { to }): FlowBody<number> {
          return yield* (yield* io.initiate(to)).receive(IntegerC)
        },
      })
      const Hear = defineResponder({
        name: 'talk/Hear',
        respondsTo: 'talk/Speak',
        versions,
        *run(_io, session, spoken): FlowBody<void> {
          yield* session.send(spoken)
        },
      })
      return { Speak, app: defineApp({ name: 'talk', states: [], flows: [Speak, Hear] }) }
    }
    const [old, both, modern] = [speaking(1, [1, 1]), speaking(2, [1, 2]), speaking(3, [2, 3])]
    const network = await VirtualNetwork.start({
      parties: { Old: { app: old.app }, Both: { app: both.app }, Modern: { app: modern.app } },
      seed: 'negotiation',
    })
    const speak = async (from: string, to: string): Promise<unknown> => {
      const { Speak } = { Old: old, Both: both, Modern: modern }[from] ?? both
      const handle = await network.node(from).start(Speak, { to: network.party(to) })
      await network.advanceBy({ minutes: 1 })
      return handle.result().catch((error: unknown) => (error as CarillonError).details['code'])
    }
    expect(await speak('Old', 'Both')).to.equal(1)
    expect(await speak('Both', 'Modern')).to.equal(2)
    expect(await speak('Both', 'Old')).to.equal('flow-version-unsupported')
    expect(await speak('Old', 'Modern')).to.equal('flow-version-unsupported')
    expect(await speak('Modern', 'Both')).to.equal('flow-version-unsupported')
    for (const name of ['Old', 'Both', 'Modern'])
      expect((await network.node(name).flows({ status: 'open' })).items, name).to.deep.equal([])
  })

  it('with something the other side cannot decode ends both flows', async () => {
    const network = await start('undecodable')
    const id = await tell(network, { not: 'a word' })
    await network.advanceBy({ minutes: 1 })
    expect((await errorOf(network, id)).details).to.include({ code: 'message-invalid' })
    expect((await flowsAt(network, 'Bob'))[0]).to.include({ status: 'failed' })
  })

  it('with oneself works like any other', async () => {
    const network = await start('self')
    const handle = await network.node('Alice').start(Tell, { to: [network.party('Alice')], says: [4, 5] })
    await network.advanceBy({ minutes: 1 })
    expect(await handle.result()).to.deep.equal([8, 10])
    expect((await flowsAt(network, 'Alice')).map(({ status }) => status)).to.deep.equal(['completed', 'completed'])
  })

  it('stands beside others in the same flow, also with the same party', async () => {
    const network = await start('several')
    const to = ['Bob', 'Mallory', 'Bob', 'Alice'].map((name) => network.party(name))
    const handle = await network.node('Alice').start(Tell, { to, says: [1, 2] })
    await network.advanceBy({ minutes: 1 })
    expect(await handle.result()).to.deep.equal([2, 2, 2, 2, 4, 4, 4, 4])
    expect((await flowsAt(network, 'Bob')).map(({ result }) => result)).to.deep.equal([2, 2])
  })

  it('that has ended says so as often as it is read', async () => {
    const network = await start('deaf')
    const handle = await network.node('Alice').start(Deaf, { to: network.party('Bob') })
    await network.advanceBy({ minutes: 1 })
    expect(await handle.result()).to.deep.equal(['session-ended', 'session-ended', 'session-ended'])
  })

  it('waits for a party that is down for a week, and goes on when it is back', async () => {
    const network = await start('week')
    await network.crash('Bob')
    const id = await tell(network, 1, 2)
    await network.advanceBy({ days: 7 })
    expect((await network.node('Alice').flow(id))?.waiting?.[0]).to.include({ for: 'message' })
    await network.crash('Alice')
    await network.restart('Alice')
    await network.restart('Bob')
    await network.advanceBy({ minutes: 2 })
    expect(await network.node('Alice').resultOf(id)).to.deep.equal([2, 4])
  })

  it('of a killed flow ends at the other side with an error', async () => {
    const network = await start('killed')
    const { id } = await network.node('Alice').start(Wait, { to: network.party('Bob') })
    await network.advanceBy({ minutes: 1 })
    const [responder] = await flowsAt(network, 'Bob')
    if (responder === undefined) throw new Error('no responder')
    await network.node('Bob').killFlow(responder.id)
    await network.advanceBy({ minutes: 1 })
    expect((await errorOf(network, id)).details).to.include({ code: 'flow-killed' })
  })

  it('of a parked or paused flow stays open, keeps what arrives, and goes on when that flow does', async () => {
    const network = await start('parked')
    const parked = await tell(network, 1, 'park', 3)
    const paused = await tell(network, 'late', 5)
    await network.advanceBy({ minutes: 1 })
    await network.node('Alice').pauseFlow(paused)
    await network.advanceBy({ hours: 2 })
    expect((await network.node('Alice').flow(paused))?.status).to.equal('paused')
    await network.node('Alice').resumeFlow(paused)
    const [responder] = (await flowsAt(network, 'Bob')).filter(({ status }) => status === 'parked')
    expect(responder?.error?.message).to.contain('a person must look')
    expect((await network.node('Alice').flow(parked))?.status).to.equal('running')
    await network.advanceBy({ minutes: 2 })
    expect(await network.node('Alice').resultOf(paused)).to.deep.equal(['late', 10])
    if (responder === undefined) throw new Error('nothing parked')
    await network.node('Bob').killFlow(responder.id)
    await network.advanceBy({ minutes: 2 })
    expect((await errorOf(network, parked)).details).to.include({ code: 'flow-killed' })
  })

  it('is not answered while the other node drains, and is when draining ends; open ones go on', async () => {
    const network = await start('draining')
    const before = await tell(network, 'late', 1)
    await network.advanceBy({ minutes: 1 })
    await network.node('Bob').drain()
    const during = await tell(network, 2)
    await network.advanceBy({ hours: 3 })
    expect(await network.node('Alice').resultOf(before)).to.deep.equal(['late', 2])
    expect(await flowsAt(network, 'Bob')).to.have.lengthOf(1)
    expect((await network.node('Alice').flow(during))?.status).to.equal('running')
    await network.crash('Bob')
    await network.restart('Bob')
    await network.advanceBy({ hours: 1 })
    expect((await network.node('Alice').flow(during))?.status).to.equal('running')
    await network.node('Bob').endDraining()
    await network.advanceBy({ minutes: 2 })
    expect(await network.node('Alice').resultOf(during)).to.deep.equal([4])
  })

  it('between two draining nodes still acknowledges and ends', async () => {
    const network = await start('both drain')
    const id = await tell(network, 'late', 1)
    await network.advanceBy({ minutes: 1 })
    await network.node('Alice').drain()
    await network.node('Bob').drain()
    await network.advanceBy({ hours: 2 })
    expect(await network.node('Alice').resultOf(id)).to.deep.equal(['late', 2])
  })

  it('refuses a message larger than the other side could record, before it leaves', async () => {
    const network = await start('large')
    const id = await tell(network, { much: 'x'.repeat(messageLimits.messageBytes) })
    await network.advanceBy({ minutes: 1 })
    expect((await errorOf(network, id)).code).to.equal('fact-too-large')
  })
})

describe('A hostile party', () => {
  const wire = async (seed: string) => {
    const warnings: string[] = []
    const note = (text: string): void => {
      warnings.push(text)
    }
    const quiet = (): void => undefined
    const network = await start(seed, { debug: quiet, info: quiet, warn: note, error: note })
    return { network, warnings }
  }
  const nonce = sha256('nonce')
  const opening = (network: VirtualNetwork, flow = 'talk/Tell') => ({
    kind: 'message',
    session: sessionIdOf(network.party('Mallory').key, nonce),
    from: 'initiator',
    seq: 0,
    message: { kind: 'open', flow, version: 1, nonce },
  })
  const data = (network: VirtualNetwork, seq: number, payload: unknown) => ({
    ...opening(network),
    seq,
    message: { kind: 'data', payload },
  })

  it('cannot speak on the session of two others, nor acknowledge for them', async () => {
    const { network, warnings } = await wire('foreign')
    const { id } = await network.node('Alice').start(Wait, { to: network.party('Bob') })
    await network.advanceBy({ seconds: 1 })
    const waiting = (await network.node('Alice').flow(id))?.waiting?.[0]
    if (waiting?.for !== 'message') throw new Error('it does not wait for a message')
    const before = await logOf(network, 'Alice')
    for (const from of ['initiator', 'responder'] as const) {
      for (const seq of [0, 1, 2]) {
        const session = { session: waiting.session, from, seq }
        for (const to of ['Alice', 'Bob']) {
          post(network, 'Mallory', to, { kind: 'message', ...session, message: { kind: 'data', payload: 'forged' } })
          post(network, 'Mallory', to, { kind: 'message', ...session, message: { kind: 'end' } })
          post(network, 'Mallory', to, { kind: 'ack', ...session })
        }
      }
    }
    await network.advanceBy({ seconds: 1 })
    expect(await logOf(network, 'Alice')).to.deep.equal(before)
    expect(warnings.length).to.be.greaterThan(0)
    await network.advanceBy({ hours: 2 })
    expect(await network.node('Alice').resultOf(id)).to.equal('late')
  })

  it('cannot open a session under an id that belongs to another party', async () => {
    const { network } = await wire('id')
    // Mallory knows which session Alice will open and is there first.
    network.cut('Alice', 'Bob')
    const id = await tell(network, 6)
    await network.advanceBy({ seconds: 1 })
    const opened = (await logOf(network, 'Alice')).map((line) => JSON.parse(line) as Record<string, unknown>)
    const sent = opened.find(({ type, seq }) => type === 'MessageSent' && seq === 0)
    const envelope = {
      kind: 'message',
      session: sent?.['session'],
      from: 'initiator',
      seq: 0,
      message: sent?.['message'],
    }
    post(network, 'Mallory', 'Bob', envelope)
    await network.advanceBy({ seconds: 1 })
    expect(await flowsAt(network, 'Bob')).to.deep.equal([])
    network.heal()
    await network.advanceBy({ minutes: 5 })
    expect(await network.node('Alice').resultOf(id)).to.deep.equal([12])
  })

  it('gains nothing by repeating, reordering and overtaking its own messages', async () => {
    const { network } = await wire('replay')
    const messages = [opening(network), data(network, 1, 1), data(network, 2, 2), data(network, 3, 'leave')]
    for (let round = 0; round < 3; round++) post(network, 'Mallory', 'Bob', ...[...messages].reverse())
    await network.advanceBy({ seconds: 1 })
    post(network, 'Mallory', 'Bob', ...messages, ...messages)
    await network.advanceBy({ seconds: 1 })
    const flows = await flowsAt(network, 'Bob')
    expect(flows.map(({ status, result }) => ({ status, result }))).to.deep.equal([{ status: 'completed', result: 2 }])
    const received = (await logOf(network, 'Bob')).filter((line) => line.includes('"MessageReceived"'))
    expect(received).to.have.lengthOf(4)
    const before = await logOf(network, 'Bob')
    for (let seq = 4; seq < 50; seq++) post(network, 'Mallory', 'Bob', data(network, seq, seq))
    await network.advanceBy({ seconds: 1 })
    expect((await logOf(network, 'Bob')).filter((line) => !line.includes('"MessageAcknowledged"'))).to.deep.equal(
      before.filter((line) => !line.includes('"MessageAcknowledged"')),
    )
  })

  it('cannot fill an inbox without end: what no flow could have sent is neither recorded nor acknowledged', async () => {
    const { network, warnings } = await wire('endless')
    const last = sessionLimits.unreadMessages
    const never = sessionLimits.messagesPerSession
    post(network, 'Mallory', 'Bob', opening(network))
    await network.advanceBy({ seconds: 1 })
    const heard: unknown[] = []
    network.transport.endpoint(network.party('Mallory').key).listen((_from, envelopes) => {
      for (const envelope of envelopes) {
        if (envelope.kind === 'ack') heard.push(envelope.seq)
        if (envelope.kind === 'refused') refused.push(`${envelope.seq} ${envelope.code}`)
      }
    })
    const refused: string[] = []
    // The first of them is a question whether there is credit, and is answered with it.
    const unread = [last + 2, last + 3, never - 1]
    const beyond = [never, never + 1, 2 * never, Number.MAX_SAFE_INTEGER]
    // With what is just within the bound in between, so that no step from one to the next is a way out.
    for (const seq of [last, last + 1, ...unread, ...beyond, last - 1, ...beyond])
      post(network, 'Mallory', 'Bob', data(network, seq, seq))
    await network.advanceBy({ seconds: 1 })
    const received = (await logOf(network, 'Bob'))
      .map((line) => JSON.parse(line) as { readonly type: string; readonly seq: unknown })
      .filter(({ type }) => type === 'MessageReceived')
    expect(received.map(({ seq }) => seq)).to.deep.equal([0, last, last - 1])
    expect(heard).to.deep.equal([last, last - 1])
    expect(refused).to.deep.equal(unread.map((seq) => `${seq} member-budget-exceeded`))
    // One line in ten seconds, however often.
    await network.advanceBy({ seconds: 10 })
    for (const seq of beyond) post(network, 'Mallory', 'Bob', data(network, seq, seq))
    await network.advanceBy({ seconds: 1 })
    expect(warnings.filter((line) => line.includes('no right to send'))).to.have.length(1)
  })

  it('cannot stop a node with envelopes of any shape', async () => {
    const { network, warnings } = await wire('shapes')
    const deep = (): unknown => {
      let value: unknown = 1
      for (let depth = 0; depth < 3_000; depth++) value = [value]
      return value
    }
    const bad: unknown[] = [
      null,
      'text',
      [],
      {},
      { kind: 'message' },
      opening(network, 'x'.repeat(400_000)),
      opening(network, 'half a pair \ud800'),
      { ...opening(network), session: 'zz' },
      { ...opening(network), seq: -1 },
      { ...opening(network), seq: 0.5 },
      { ...opening(network), from: 'nobody' },
      { ...opening(network), message: { kind: 'shout' } },
      { ...opening(network), message: { kind: 'error', code: 'x', message: 'y'.repeat(1_000_000) } },
      data(network, Number.MAX_SAFE_INTEGER, 1),
    ]
    for (const envelope of bad) post(network, 'Mallory', 'Bob', envelope)
    await network.advanceBy({ minutes: 1 })
    expect(warnings.length).to.be.greaterThan(0)
    expect(await flowsAt(network, 'Bob')).to.deep.equal([])
    // On a session of its own, what cannot be recorded ends that session with a typed error.
    for (const [place, payload] of [deep(), 'x'.repeat(390_000), 2 ** 60, 'half a pair \ud800'].entries()) {
      const other = sha256(`nonce ${place}`)
      const session = sessionIdOf(network.party('Mallory').key, other)
      const from = { kind: 'message', session, from: 'initiator' }
      post(network, 'Mallory', 'Bob', {
        ...from,
        seq: 0,
        message: { kind: 'open', flow: 'talk/Tell', version: 1, nonce: other },
      })
      post(network, 'Mallory', 'Bob', { ...from, seq: 1, message: { kind: 'data', payload } })
    }
    await network.advanceBy({ minutes: 1 })
    const flows = await flowsAt(network, 'Bob')
    expect(flows.map(({ status }) => status)).to.deep.equal(['failed', 'failed', 'failed', 'failed'])
    for (const { error } of flows) expect(error?.details?.['code'] ?? error?.code).to.equal('message-invalid')
    const id = await tell(network, 21)
    await network.advanceBy({ minutes: 1 })
    expect(await network.node('Alice').resultOf(id)).to.deep.equal([42])
  })

  it('that is in no map is not listened to', async () => {
    const { network } = await wire('stranger')
    const strangers = await VirtualNetwork.start({ parties: { Stranger: { app } }, seed: 'elsewhere' })
    const { key } = strangers.party('Stranger')
    const before = await logOf(network, 'Bob')
    const session = sessionIdOf(key, nonce)
    const message = { kind: 'open', flow: 'talk/Tell', version: 1, nonce } as const
    network.transport
      .endpoint(key)
      .send(network.party('Bob').key, [{ kind: 'message', session, from: 'initiator', seq: 0, message }])
    await network.advanceBy({ minutes: 1 })
    expect(await logOf(network, 'Bob')).to.deep.equal(before)
  })
})
