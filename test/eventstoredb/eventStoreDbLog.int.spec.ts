import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { EventStoreDbLog } from '../../src/log/eventstoredb/EventStoreDbLog.js'
import { emptyHead, headAfter, type EncodedTick } from '../../src/log/Tick.js'
import { describeEventLog, ticksAfter } from '../log/conformance.js'
import { Cluster } from './EventStoreDbServer.js'

const real = process.env['ESDB_URL']

if (real !== undefined && real !== '')
  describeEventLog('EventStoreDbLog on the server that ESDB_URL names', () => {
    const stream = `carillon-test-${randomUUID()}`
    return Promise.resolve({
      open: () => EventStoreDbLog.open({ url: real, stream }),
      manyTicks: 1_000,
      remove: () => Promise.resolve(),
    })
  })

describeEventLog('EventStoreDbLog on the test server', async () => {
  const cluster = await Cluster.start()
  return {
    open: () => EventStoreDbLog.open({ url: cluster.url('log') }),
    cut: () => cluster.servers[0]!.cut(),
    manyTicks: 1_000,
    remove: () => cluster.close(),
  }
})

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => (error as { readonly code: string }).code,
  )

describe('A log in EventStoreDB', () => {
  let cluster: Cluster
  const open: EventStoreDbLog[] = []

  const start = async (size = 1, options: { readonly answerMs?: number } = {}): Promise<EventStoreDbLog> => {
    cluster = await Cluster.start(size)
    return openLog(options)
  }
  const openLog = async (options: { readonly answerMs?: number } = {}): Promise<EventStoreDbLog> => {
    const log = await EventStoreDbLog.open({ url: cluster.url('log'), ...options })
    open.push(log)
    return log
  }
  const serverOf = (index = 0) => cluster.servers[index]!

  afterEach(async () => {
    for (const log of open.splice(0)) await log.close()
    await cluster.close()
  })

  it('writes each event as one of the stream, at its own revision, with its bytes and a label', async () => {
    const log = await start()
    const [first, second] = ticksAfter(emptyHead, [2, 1])
    await log.append(emptyHead, first!)
    await log.append(headAfter(first!), second!)
    const kept = cluster.store.eventsOf('log')
    expect(kept.map(({ data }) => Buffer.from(data).toString())).to.deep.equal([...first!.events, ...second!.events])
    expect(kept.map(({ metadata }) => JSON.parse(Buffer.from(metadata).toString()) as unknown)).to.deep.equal([
      { tick: 1, index: 0, count: 2, at: first!.at },
      { tick: 1, index: 1, hash: first!.hash, signature: first!.signature },
      { tick: 2, index: 0, count: 1, at: second!.at, hash: second!.hash, signature: second!.signature },
    ])
    expect(new Set(kept.map(({ id }) => id)).size).to.equal(3)
    expect(serverOf().calls.batchAppend, 'never over the shared call').to.equal(0)
  })

  for (const [fault, kind] of [
    ['lost answer', 'unknown'],
    ['lost request', 'unknown'],
    ['cut after', 'unknown'],
    ['cut before', 'unknown'],
    ['no room', 'unknown'],
  ] as const)
    it(`says ${kind} within its deadline when an append meets: ${fault}; and can be asked and tried again`, async () => {
      const log = await start(1, { answerMs: 400 })
      const [tick] = ticksAfter(emptyHead, [3])
      serverOf().next(fault)
      expect((await log.append(emptyHead, tick!)).kind).to.equal(kind)
      let outcome = await log.append(emptyHead, tick!)
      while (outcome.kind === 'unknown' || outcome.kind === 'failed') outcome = await log.append(emptyHead, tick!)
      expect(outcome.kind).to.equal('appended')
      expect(await log.head()).to.deep.equal(headAfter(tick!))
      expect(cluster.store.eventsOf('log')).to.have.length(3)
    })

  it('takes a repeated append of one writer for what it is, and not that of another', async () => {
    const log = await start()
    const other = await openLog()
    const [tick] = ticksAfter(emptyHead, [2])
    expect(await log.append(emptyHead, tick!)).to.deep.equal({ kind: 'appended' })
    expect(await log.append(emptyHead, tick!)).to.deep.equal({ kind: 'appended' })
    expect(await other.append(emptyHead, tick!)).to.deep.equal({ kind: 'refused', head: headAfter(tick!) })
    expect(cluster.store.eventsOf('log')).to.have.length(2)
  })

  it('does not mistake one broken connection for another: two clients in a process', async () => {
    const log = await start(1, { answerMs: 500 })
    const otherCluster = await Cluster.start()
    const other = await EventStoreDbLog.open({ url: otherCluster.url('log') })
    const [tick] = ticksAfter(emptyHead, [2])
    serverOf().next('lost answer')
    const slow = log.append(emptyHead, tick!)
    await serverOf().cut()
    expect(await other.append(emptyHead, tick!)).to.deep.equal({ kind: 'appended' })
    expect((await slow).kind).to.equal('unknown')
    await other.close()
    await otherCluster.close()
  })

  it('says failed when no server can be reached, since nothing can have been taken', async () => {
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

  it('goes on with a new leader, appending and following, without gap or repeat', async () => {
    const log = await start(3)
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
        // The old leader is gone altogether, as after a crash.
        await serverOf(1).stop()
        cluster.leader = 2
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

  it('reports a limit of the server before it bites, and when the server has a smaller one', async () => {
    const log = await start()
    const [tick] = ticksAfter(emptyHead, [200])
    const strict = await EventStoreDbLog.open({ url: cluster.url('log'), maxAppendBytes: 1_000 })
    open.push(strict)
    expect(await strict.append(emptyHead, tick!)).to.have.nested.property('error.code', 'log-limit-exceeded')
    expect(serverOf().calls.append).to.equal(0)
    serverOf().maxAppendBytes = 1_000
    expect(await log.append(emptyHead, tick!)).to.have.nested.property('error.code', 'log-limit-exceeded')
    expect(cluster.store.eventsOf('log')).to.have.length(0)
  })

  it('says what is wrong: no access, another program in the stream, a stream that was deleted or forgets', async () => {
    const log = await start()
    const [tick] = ticksAfter(emptyHead, [1])
    await log.append(emptyHead, tick!)
    serverOf().denies = true
    expect(await codeOf(openLog())).to.equal('log-access-denied')
    serverOf().denies = false
    const event = { id: randomUUID(), type: 'order-placed', contentType: 'application/json' }
    const bytes = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)))
    cluster.store.append('log', 'any', [{ ...event, data: bytes({}), metadata: bytes({}) }])
    expect(await codeOf(openLog())).to.equal('log-foreign')
    cluster.store.streams.get('log')!.pop()
    cluster.store.append('$$log', 'any', [
      { ...event, type: '$metadata', data: bytes({ $maxAge: 10 }), metadata: bytes({}) },
    ])
    expect(await codeOf(openLog())).to.equal('log-foreign')
    cluster.store.deleted.add('log')
    const next = ticksAfter(headAfter(tick!), [1])[0]!
    expect(await log.append(headAfter(tick!), next)).to.have.nested.property('error.code', 'log-foreign')
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
    const secret = cluster.url('log').replace('esdb://', 'kurrentdb://admin:changeit@')
    const log = await EventStoreDbLog.open({ url: secret })
    open.push(log)
    expect(log.where).to.contain('esdb://admin@127.0.0.1').and.to.not.contain('changeit')
  })
})
