import { randomUUID } from 'node:crypto'
import { binaryEvent, jsonEvent } from '@eventstore/db-client'
import { expect } from 'chai'
import { EventStoreDbLog, type EventStoreDbLogOptions } from '../../src/logs/eventstoredb/EventStoreDbLog.js'
import { emptyHead, headAfter, type EncodedTick } from '../../src/log/Tick.js'
import { ticksAfter } from '../log/conformance.js'
import { Cluster } from './Cluster.js'
import { until } from './mint.js'
import { itNeedsFaults, ServerUnderTest } from './serverUnderTest.js'

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => (error as { readonly code: string }).code,
  )

describe('A log in EventStoreDB', () => {
  let server: ServerUnderTest

  const start = async (size = 1, options: Partial<EventStoreDbLogOptions> = {}): Promise<EventStoreDbLog> => {
    server = await ServerUnderTest.start(size)
    return server.open(options)
  }
  const serverOf = (index = 0) => server.cluster.servers[index]!

  afterEach(() => server.close())

  it('writes each event as one of the stream, at its own revision, with its bytes and a label', async () => {
    const log = await start()
    const [first, second] = ticksAfter(emptyHead, [2, 1])
    await log.append(emptyHead, first!)
    await log.append(headAfter(first!), second!)
    const kept = await server.withClient(async (client) => {
      const found = []
      for await (const { event } of client.readStream(server.stream)) if (event !== undefined) found.push(event)
      return found
    })
    const texts = kept.map(({ data }) => Buffer.from(data as Uint8Array).toString())
    expect(texts).to.deep.equal([...first!.events, ...second!.events])
    expect(kept.map(({ metadata }) => metadata)).to.deep.equal([
      { tick: 1, index: 0, count: 2, at: first!.at },
      { tick: 1, index: 1, hash: first!.hash, signature: first!.signature },
      { tick: 2, index: 0, count: 1, at: second!.at, hash: second!.hash, signature: second!.signature },
    ])
    expect(kept.map(({ type }) => type)).to.deep.equal(['Event', 'Event', 'Event'])
    expect(new Set(kept.map(({ id }) => id)).size).to.equal(3)
  })

  for (const [fault, kind] of [
    ['lost answer', 'unknown'],
    ['lost request', 'unknown'],
    ['cut after', 'unknown'],
    ['cut before', 'unknown'],
    ['unknown error', 'unknown'],
    ['empty answer', 'unknown'],
  ] as const)
    for (const [what, counts] of [
      ['the first append', [3]],
      ['a batch append', [1, 3]],
    ] as const)
      itNeedsFaults(
        `says ${kind} within its deadline when ${what} meets: ${fault}; and can be tried again`,
        async () => {
          const log = await start(1, { answerMs: 400 })
          const ticks = ticksAfter(emptyHead, counts)
          if (ticks.length > 1) await log.append(emptyHead, ticks[0]!)
          const tick = ticks.at(-1)!
          const head = ticks.length > 1 ? headAfter(ticks[0]!) : emptyHead
          serverOf().faults.next(fault)
          expect((await log.append(head, tick)).kind).to.equal(kind)
          let outcome = await log.append(head, tick)
          while (outcome.kind === 'unknown' || outcome.kind === 'failed') outcome = await log.append(head, tick)
          expect(outcome.kind).to.equal('appended')
          expect(await log.head()).to.deep.equal(headAfter(tick))
          expect(server.cluster.store.eventsOf(server.stream)).to.have.length(headAfter(tick).revision + 1)
        },
      )

  it('takes a repeated append of one writer for what it is, and not that of another', async () => {
    const log = await start()
    const other = await server.open()
    const [first, second] = ticksAfter(emptyHead, [2, 1])
    expect(await log.append(emptyHead, first!)).to.deep.equal({ kind: 'appended' })
    expect(await log.append(emptyHead, first!)).to.deep.equal({ kind: 'appended' })
    expect(await other.append(emptyHead, first!)).to.deep.equal({ kind: 'refused', head: headAfter(first!) })
    for (let time = 0; time < 2; time++)
      expect(await log.append(headAfter(first!), second!)).to.deep.equal({ kind: 'appended' })
    const refused = { kind: 'refused', head: headAfter(second!) }
    expect(await other.append(headAfter(first!), second!)).to.deep.equal(refused)
    expect((await log.head()).revision).to.equal(2)
  })

  itNeedsFaults(
    'names the winner in a refusal, although the server refuses before the winner can be read',
    async () => {
      const log = await start()
      const [first] = ticksAfter(emptyHead, [1])
      await log.append(emptyHead, first!)
      const loser = await server.open()
      const [mine, theirs] = ['mine', 'theirs'].map((label) => ticksAfter(headAfter(first!), [1], label)[0]!)
      await log.append(headAfter(first!), mine!)
      server.cluster.store.fallBehind(3)
      const outcome = await loser.append(headAfter(first!), theirs!)
      expect(outcome).to.deep.equal({ kind: 'refused', head: headAfter(mine!) })
    },
  )

  itNeedsFaults('says unknown when it is refused and no winner can be read for long', async () => {
    const log = await start()
    const [first] = ticksAfter(emptyHead, [1])
    await log.append(emptyHead, first!)
    const loser = await server.open({ answerMs: 300 })
    const [mine, theirs] = ['mine', 'theirs'].map((label) => ticksAfter(headAfter(first!), [1], label)[0]!)
    await log.append(headAfter(first!), mine!)
    server.cluster.store.fallBehind(1_000)
    const outcome = await loser.append(headAfter(first!), theirs!)
    expect(outcome).to.have.property('kind', 'unknown')
    expect(outcome).to.have.nested.property('error.code', 'log-unreachable')
  })

  itNeedsFaults('says failed when no server can be reached, since nothing can have been taken', async () => {
    const log = await start()
    const ticks = ticksAfter(emptyHead, [1, 1])
    await log.append(emptyHead, ticks[0]!)
    await serverOf().stop()
    await log.append(headAfter(ticks[0]!), ticks[1]!)
    const outcome = await log.append(headAfter(ticks[0]!), ticks[1]!)
    expect(outcome.kind).to.equal('failed')
    expect(outcome).to.have.nested.property('error.code', 'log-unreachable')
    await serverOf().resume()
    expect(await log.append(headAfter(ticks[0]!), ticks[1]!)).to.deep.equal({ kind: 'appended' })
  })

  itNeedsFaults('goes on with a new leader, appending and following, without gap or repeat', async () => {
    const log = await start(3)
    const { cluster } = server
    const abort = new AbortController()
    const ticks = ticksAfter(
      emptyHead,
      Array.from({ length: 30 }, (_, index) => 1 + (index % 3)),
    )
    const followed: EncodedTick[] = []
    const following = (async () => {
      for await (const tick of log.follow(0, abort.signal)) {
        followed.push(tick)
        if (followed.length === ticks.length) abort.abort()
      }
    })()
    let head = emptyHead
    for (const [index, tick] of ticks.entries()) {
      if (index === 10) cluster.leader = 1
      if (index === 20) {
        // A server that has lost its place shuts itself down, to truncate what it holds.
        cluster.deposedShutsDown = true
        await cluster.leadWith(2)
      }
      for (;;) {
        const outcome = await log.append(head, tick)
        if (outcome.kind === 'appended') break
        expect(outcome.kind).to.not.equal('refused')
      }
      head = headAfter(tick)
    }
    await following
    expect(followed).to.deep.equal(ticks)
    await serverOf(1).resume()
  })

  it('refuses an address it cannot use, and shows none with its password', async () => {
    await start()
    for (const url of [
      'esdb://',
      'http://db',
      'esdb://db?stream=$all',
      'esdb://db:port',
      'esdb://u:p@db?tlsCAFile=/none',
    ])
      expect(await codeOf(EventStoreDbLog.open({ url })), url).to.equal('log-address-invalid')
    const log = await server.open()
    expect(log.where).to.contain('esdb').and.to.contain(server.stream)
  })

  itNeedsFaults('shows no password', async () => {
    await start()
    const log = await server.open({ url: server.url().replace('esdb://', 'kurrentdb://admin:changeit@') })
    expect(log.where).to.contain('esdb://admin@127.0.0.1').and.to.not.contain('changeit')
  })

  it('says which version the server is of', async () => {
    const log = await start()
    expect(await log.serverVersion()).to.match(/^\d+\.\d+/)
  })
})

describe('Batch appends to EventStoreDB', () => {
  let server: ServerUnderTest
  const serverOf = (index = 0) => server.cluster.servers[index]!

  afterEach(() => server.close())

  itNeedsFaults('share one call for all appends after the first', async () => {
    server = await ServerUnderTest.start()
    const log = await server.open()
    const ticks = ticksAfter(emptyHead, [1, 2, 3, 4])
    let head = emptyHead
    for (const tick of ticks) {
      expect(await log.append(head, tick)).to.deep.equal({ kind: 'appended' })
      head = headAfter(tick)
    }
    expect(serverOf().calls).to.include({ append: 1, batchAppend: 1 })
  })

  for (const [what, fault] of [
    ['does not know them', { isOld: true }],
    ['does not say whether it knows them', { deniesFeatures: true }],
  ] as const)
    itNeedsFaults(`are not used on a server that ${what}`, async () => {
      server = await ServerUnderTest.start()
      Object.assign(serverOf().faults, fault)
      const log = await server.open()
      const [first, second] = ticksAfter(emptyHead, [1, 2])
      await log.append(emptyHead, first!)
      expect(await log.append(headAfter(first!), second!)).to.deep.equal({ kind: 'appended' })
      expect(serverOf().calls).to.include({ append: 2, batchAppend: 0 })
    })

  itNeedsFaults('have a deadline of their own, and ignore an answer that comes after it', async () => {
    server = await ServerUnderTest.start()
    const log = await server.open({ answerMs: 200 })
    const [first, second, third] = ticksAfter(emptyHead, [1, 1, 1])
    await log.append(emptyHead, first!)
    serverOf().faults.next('late answer')
    expect((await log.append(headAfter(first!), second!)).kind).to.equal('unknown')
    serverOf().faults.answerLate()
    expect(await log.append(headAfter(first!), second!)).to.deep.equal({ kind: 'appended' })
    expect(await log.append(headAfter(second!), third!)).to.deep.equal({ kind: 'appended' })
  })

  itNeedsFaults('of two clients in a process have nothing to do with each other', async () => {
    server = await ServerUnderTest.start()
    const log = await server.open({ answerMs: 1_000 })
    const otherCluster = await Cluster.start()
    const other = await EventStoreDbLog.open({ url: otherCluster.url('log') })
    const [first, second] = ticksAfter(emptyHead, [2, 1])
    for (const each of [log, other]) await each.append(emptyHead, first!)
    for (const cluster of [server.cluster, otherCluster]) cluster.servers[0]!.faults.next('late answer')
    const slow = log.append(headAfter(first!), second!)
    const late = other.append(headAfter(first!), second!)
    while (otherCluster.store.eventsOf('log').length < 3) await new Promise((resolve) => setImmediate(resolve))
    await serverOf().cut()
    expect((await slow).kind).to.equal('unknown')
    otherCluster.servers[0]!.faults.answerLate()
    expect(await late).to.deep.equal({ kind: 'appended' })
    await other.close()
    await otherCluster.close()
  })

  itNeedsFaults('say what the server says: too large, denied, deleted, timed out', async () => {
    server = await ServerUnderTest.start()
    const log = await server.open()
    const [first, second] = ticksAfter(emptyHead, [1, 200])
    await log.append(emptyHead, first!)
    const { faults } = serverOf()
    const append = () => log.append(headAfter(first!), second!)
    faults.maxAppendBytes = 1_000
    const tooLarge = await append()
    expect(tooLarge).to.deep.include({ kind: 'failed' }).and.have.nested.property('error.code', 'log-limit-exceeded')
    expect(tooLarge).to.have.nested.property('error.message').that.contains('at most 1000 bytes')
    faults.maxAppendBytes = 1024 * 1024
    faults.denies = true
    expect(await append()).to.have.nested.property('error.code', 'log-access-denied')
    faults.denies = false
    faults.next('disk full')
    const timedOut = await append()
    expect(timedOut).to.have.property('kind', 'unknown')
    expect(timedOut).to.have.nested.property('error.message').that.contains('no space left')
    await until('the server has ended itself', () => !serverOf().isRunning)
    await serverOf().resume()
    server.cluster.store.tombstone(server.stream)
    // The first one may still go to the connection that has ended.
    let deleted = await append()
    if (deleted.kind === 'unknown') deleted = await append()
    expect(deleted).to.deep.include({ kind: 'failed' }).and.have.nested.property('error.code', 'log-foreign')
  })

  itNeedsFaults('are bounded as the server counts: by their data alone, and on newer ones by everything', async () => {
    server = await ServerUnderTest.start()
    const log = await server.open()
    const [first, second] = ticksAfter(emptyHead, [1, 200])
    await log.append(emptyHead, first!)
    const bytes = second!.events.reduce((sum, event) => sum + Buffer.byteLength(event), 0)
    serverOf().faults.maxAppendBytes = bytes
    serverOf().faults.countsMetadata = true
    const counted = await log.append(headAfter(first!), second!)
    expect(counted).to.have.nested.property('error.message').that.contains(`at most ${bytes} bytes`)
    expect(server.cluster.store.eventsOf(server.stream)).to.have.length(1)
    serverOf().faults.countsMetadata = false
    expect(await log.append(headAfter(first!), second!)).to.deep.equal({ kind: 'appended' })
  })

  for (const [what, counts] of [
    ['the first append', [1]],
    ['a batch append', [1, 1]],
  ] as const)
    itNeedsFaults(`say which limit an event has met that the client does not know: ${what}`, async () => {
      server = await ServerUnderTest.start()
      const log = await server.open()
      const ticks = ticksAfter(emptyHead, counts)
      if (ticks.length > 1) await log.append(emptyHead, ticks[0]!)
      serverOf().faults.maxEventBytes = 100
      const refused = await log.append(ticks.length > 1 ? headAfter(ticks[0]!) : emptyHead, ticks.at(-1)!)
      expect(refused).to.deep.include({ kind: 'failed' }).and.have.nested.property('error.code', 'log-limit-exceeded')
      expect(refused)
        .to.have.nested.property('error.message')
        .that.contains('MaxAppendEventSize')
        .and.matches(/\b100\b/)
      expect(server.cluster.store.eventsOf(server.stream)).to.have.length(ticks.length - 1)
    })

  itNeedsFaults('go without an answer of the server about itself, and do not leave the question open', async () => {
    server = await ServerUnderTest.start()
    serverOf().faults.hidesFeatures = true
    const log = await server.open({ proveMs: 100 })
    const [first, second] = ticksAfter(emptyHead, [1, 1])
    await log.append(emptyHead, first!)
    expect(await log.append(headAfter(first!), second!)).to.deep.equal({ kind: 'appended' })
    await until('nobody waits for the answer any more', () => serverOf().unanswered === 0)
    expect(serverOf().calls).to.include({ append: 2, batchAppend: 0 })
  })

  itNeedsFaults('are refused by a server that holds another history, although the revision is the same', async () => {
    server = await ServerUnderTest.start()
    const log = await server.open()
    const [first, second, third] = ticksAfter(emptyHead, [1, 1, 1])
    await log.append(emptyHead, first!)
    await log.append(headAfter(first!), second!)
    const other = 'f'.repeat(64)
    server.cluster.store.replaceLast(server.stream, (event) => {
      const metadata = JSON.parse(Buffer.from(event.metadata).toString()) as Record<string, unknown>
      return { ...event, metadata: new Uint8Array(Buffer.from(JSON.stringify({ ...metadata, hash: other }))) }
    })
    await serverOf().cut()
    let outcome = await log.append(headAfter(second!), third!)
    while (outcome.kind === 'failed' || outcome.kind === 'unknown')
      outcome = await log.append(headAfter(second!), third!)
    expect(outcome).to.have.nested.property('head.hash', other)
    expect(server.cluster.store.eventsOf(server.stream)).to.have.length(2)
  })
})

describe('A stream that is not what Carillon has made', () => {
  let server: ServerUnderTest

  const start = async (): Promise<{ readonly log: EventStoreDbLog; readonly ticks: readonly EncodedTick[] }> => {
    server = await ServerUnderTest.start()
    const log = await server.open()
    const ticks = ticksAfter(emptyHead, [2, 3, 1, 1])
    let head = emptyHead
    for (const tick of ticks) {
      await log.append(head, tick)
      head = headAfter(tick)
    }
    return { log, ticks }
  }

  /** How reading and following from a revision end. */
  const problemOf = async (ticks: AsyncIterable<EncodedTick>): Promise<string> => {
    const found: number[] = []
    try {
      for await (const tick of ticks) found.push(tick.number)
      return `ended after ${found.join(', ')}`
    } catch (error) {
      return (error as Error).message
    }
  }

  afterEach(() => server.close())

  it('is reported where it is truncated, whether it is read or followed', async () => {
    const { log } = await start()
    await server.withClient((client) => client.setStreamMetadata(server.stream, { truncateBefore: 3 }))
    const missing = 'events 0 to 2 are missing, and the stream goes on with event 3'
    expect(await problemOf(log.read(0)))
      .to.contain(missing)
      .and.to.contain('carillon log copy')
    expect(await problemOf(log.follow(0, new AbortController().signal))).to.contain(missing)
    const other = await codeOf(server.open())
    expect(other).to.equal('log-foreign')
  })

  it('is reported where a follower meets the gap', async () => {
    const { log } = await start()
    for await (const { number } of log.follow(0, new AbortController().signal)) {
      expect(number).to.equal(1)
      break
    }
    await server.withClient((client) => client.setStreamMetadata(server.stream, { truncateBefore: 6 }))
    expect(await problemOf(log.follow(2, new AbortController().signal))).to.contain('events 2 to 5 are missing')
  })

  it('with a tombstone is said to be deleted for good, by every method', async () => {
    const { log, ticks } = await start()
    const following = problemOf(log.follow(0, new AbortController().signal))
    const last = ticks.at(-1)!
    await server.withClient((client) => client.tombstoneStream(server.stream))
    expect(await following)
      .to.contain('deleted for good')
      .and.to.not.contain('9223372036854776000')
    expect(await codeOf(log.head())).to.equal('log-foreign')
    const next = ticksAfter(headAfter(last), [1])[0]!
    expect(await log.append(headAfter(last), next)).to.have.nested.property('error.code', 'log-foreign')
    expect(await problemOf(log.read(0))).to.contain('deleted for good')
    expect(await codeOf(server.open())).to.equal('log-foreign')
  })

  it('is refused at the start: another program writes there, or it forgets', async () => {
    await start()
    await server.withClient((client) => client.setStreamMetadata(server.stream, { maxAge: 10 }))
    expect(await codeOf(server.open())).to.equal('log-foreign')
    await server.withClient((client) => client.setStreamMetadata(server.stream, {}))
    await (await server.open()).close()
    const placed = jsonEvent({ type: 'order-placed', data: {}, metadata: {} })
    await server.withClient((client) => client.appendToStream(server.stream, placed))
    expect(await codeOf(server.open())).to.equal('log-foreign')
  })

  it('that was deleted softly is not taken for an empty one', async () => {
    const { log } = await start()
    await server.withClient((client) => client.deleteStream(server.stream))
    expect(await codeOf(log.head())).to.equal('log-foreign')
    expect(await codeOf(server.open())).to.equal('log-foreign')
    // The first metadata after a soft delete still hide what was there.
    await server.withClient((client) => client.setStreamMetadata(server.stream, {}))
    expect(await codeOf(server.open())).to.equal('log-foreign')
    await server.withClient((client) => client.setStreamMetadata(server.stream, {}))
    expect((await (await server.open()).head()).revision).to.equal(6)
  })

  it('with a gap in its ticks is refused by whoever reads it', async () => {
    const { log, ticks } = await start()
    const metadata = { tick: 5, index: 1, hash: ticks[0]!.hash }
    const half = binaryEvent({ id: randomUUID(), type: 'Event', data: new Uint8Array(Buffer.from('{}')), metadata })
    await server.withClient((client) => client.appendToStream(server.stream, half))
    expect(await problemOf(log.read(0))).to.contain('event 7 is not the next one of its tick')
  })

  itNeedsFaults('cannot be used by someone who may not read its metadata', async () => {
    server = await ServerUnderTest.start()
    server.cluster.servers[0]!.faults.deniesMetadata = true
    const problem = await server.open().then(
      () => 'fulfilled',
      (error: unknown) => (error as Error).message,
    )
    expect(problem).to.contain('to read its metadata')
  })
})
