/** Bugs in flows, codecs and callers are theirs: the node goes on, and a restart does not meet them again. */
import { expect } from 'chai'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineFlow,
  IntegerC,
  NoInputC,
  startNode,
  type FlowBody,
  type FlowDefinition,
  type Json,
} from 'carillon'
import { EmbeddedStore } from 'carillon/logs'
import { VirtualNode } from 'carillon/testing'

const Healthy = defineFlow({
  name: 'bugs/Healthy',
  input: NoInputC,
  *run(io): FlowBody<string> {
    yield* io.sleep({ minutes: 1 })
    return 'well'
  },
})

/** A flow that misbehaves after it was suspended, when nobody waits for its start any more. */
const afterSleep = (name: string, misbehave: () => Generator<never, void>) =>
  defineFlow({
    name: `bugs/${name}`,
    input: NoInputC,
    *run(io): FlowBody<void> {
      yield* io.sleep({ seconds: 1 })
      yield* misbehave()
    },
  })

const bugs: readonly FlowDefinition<Record<string, never>, void>[] = [
  afterSleep('YieldsNothing', function* () {
    yield undefined as never
  }),
  afterSleep('YieldsText', function* () {
    yield 'a text' as never
  }),
  afterSleep('YieldsForeignKind', function* () {
    yield { kind: 'teleport' } as never
  }),
  afterSleep('ThrowsNothing', function* () {
    // oxlint-disable-next-line typescript/only-throw-error -- app code can throw anything, and this is what is tested
    throw undefined
  }),
]

const UrlC = new t.Type<URL, string>(
  'Url',
  (value): value is URL => value instanceof URL,
  // What such codecs often look like: a constructor that throws in the place of a refusal.
  (value) => t.success(new URL(String(value))),
  String,
)
const Fetch = defineFlow({
  name: 'bugs/Fetch',
  input: t.strict({ url: UrlC }),
  *run(io): FlowBody<string> {
    yield* io.sleep({ seconds: 1 })
    return 'fetched'
  },
})

const Keep = defineFlow({
  name: 'bugs/Keep',
  input: t.strict({ n: IntegerC }),
  *run(io, input): FlowBody<number> {
    yield* io.sleep({ seconds: 1 })
    return input.n
  },
})

const app = defineApp({ name: 'bugs', states: [], flows: [Healthy, Fetch, Keep, ...bugs] })

describe('A node', () => {
  it('outlives flows that yield and throw whatever they like after a suspension', async () => {
    const virtual = await VirtualNode.start({ app, development: false })
    const healthy = await virtual.node.start(Healthy, {})
    for (const bug of bugs) await virtual.node.start(bug, {})
    await virtual.advanceBy({ seconds: 2 })
    await virtual.crash()
    await virtual.restart()
    await virtual.advanceBy({ minutes: 2 })
    expect(await virtual.node.resultOf(healthy.id)).to.equal('well')
    const ended = (await virtual.node.flows({ status: 'failed' })).items.map(({ name }) => name)
    expect(ended).to.have.members(bugs.map(({ name }) => name))
  })

  it('outlives a codec that throws, in a request and in an upgrade', async () => {
    const virtual = await VirtualNode.start({ app })
    const refused: unknown = await virtual.node.startByName('bugs/Fetch', { url: 'no url' }).catch((e: unknown) => e)
    expect(refused).to.be.instanceOf(CarillonError).with.property('code', 'flow-input-invalid')
    const { id } = await virtual.node.startByName('bugs/Fetch', { url: 'https://example.org/' })
    await virtual.stop()
    const throwing = t.strict({
      url: new t.Type<URL, string>(
        'Url',
        (value): value is URL => value instanceof URL,
        () => {
          throw new Error('not today')
        },
        String,
      ),
    })
    const Newer = defineFlow({ name: 'bugs/Fetch', input: throwing, run: Fetch.run })
    await virtual.restart({ app: defineApp({ name: 'bugs', states: [], flows: [Newer, Healthy] }) })
    await virtual.advanceBy({ minutes: 1 })
    expect((await virtual.node.flow(id))?.status).to.equal('parked')
    expect(await virtual.node.start(Healthy, {})).to.have.property('id')
  })

  it('gives a flow the input as it was at the call, whatever the caller does to it afterwards', async () => {
    const virtual = await VirtualNode.start({ app })
    const input = { n: 1 }
    const started = virtual.node.start(Keep, input)
    input.n = 2
    const { id } = await started
    await virtual.advanceBy({ minutes: 1 })
    expect(await virtual.node.resultOf(id)).to.equal(1)
  })

  it('stops when it is told to, although its last words cannot be recorded', async () => {
    const store = EmbeddedStore.inMemory()
    let full = false
    const failing = {
      views: store.views,
      reader: store.reader,
      head: store.head,
      begin: store.begin,
      rollback: store.rollback,
      tick: store.tick,
      read: (from: number) => store.read(from),
      close: store.close,
      commit: (tick: Parameters<typeof store.commit>[0]) => {
        if (!full) return store.commit(tick)
        store.rollback()
        return { kind: 'failed' as const, error: new CarillonError('disk-full', 'no space left') }
      },
    }
    const node = await startNode({ app, store: failing })
    full = true
    await node.stop()
    const refused: unknown = await node.start(Healthy, {}).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(CarillonError).with.property('code', 'node-stopped')
  })

  it('frees the place of a step that hangs, when its flow is killed or its time is over', async () => {
    const Hang = defineFlow({
      name: 'bugs/Hang',
      input: t.strict({ timed: t.boolean }),
      *run(io, { timed }): FlowBody<Json> {
        const hang = ({ signal }: { readonly signal: AbortSignal }): Promise<string> =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              reject(new Error('aborted'))
            })
          })
        return yield* io.step('hang', hang, timed ? { timeout: { milliseconds: 20 }, retry: { attempts: 1 } } : {})
      },
    })
    const Quick = defineFlow({
      name: 'bugs/Quick',
      input: NoInputC,
      *run(io): FlowBody<string> {
        return yield* io.step('quick', () => 'done')
      },
    })
    const node = await startNode({ app: defineApp({ name: 'hang', states: [], flows: [Hang, Quick] }) })
    const hanging = await Promise.all(Array.from({ length: 256 }, () => node.start(Hang, { timed: false })))
    for (const { id } of hanging) await node.killFlow(id)
    expect(await node.run(Quick, {})).to.equal('done')
    const timed: unknown = await node.run(Hang, { timed: true }).catch((error: unknown) => error)
    expect(timed).to.be.instanceOf(CarillonError).with.property('code', 'step-failed')
    await node.stop()
  })
})
