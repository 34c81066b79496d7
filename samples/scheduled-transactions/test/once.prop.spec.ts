import { expect } from 'chai'
import fc from 'fast-check'
import { keyList, thresholdKey, type KeyTree } from '../model/KeyTree.js'
import type { ScheduleID } from '../model/ids.js'
import type { Response } from '../model/TransactionRecord.js'
import { key, keyPair, Scene } from './Scene.js'
import { ScheduleModel, type Policy, type Tree } from './ScheduleModel.js'

const lifetime = 10
const bodies = 2
const names = ['a', 'b', 'c']

/** The same trees, as the model and as the network write them. */
const trees: readonly (readonly [Tree, KeyTree])[] = [
  ['a', key('a')],
  [{ need: 2, of: ['a', 'b'] }, keyList(key('a'), key('b'))],
  [{ need: 1, of: ['a', 'b'] }, thresholdKey(1, key('a'), key('b'))],
  [{ need: 2, of: ['a', 'b', 'c'] }, thresholdKey(2, key('a'), key('b'), key('c'))],
  [{ need: 2, of: ['c', { need: 1, of: ['a', 'b'] }] }, keyList(key('c'), thresholdKey(1, key('a'), key('b')))],
  // A key that stands in it twice counts twice.
  [{ need: 2, of: ['a', 'a', 'b', 'c'] }, thresholdKey(2, key('a'), key('a'), key('b'), key('c'))],
  // Whoever pays may have to sign besides.
  [{ need: 1, of: [{ need: 2, of: ['D', 'b'] }, 'c'] }, thresholdKey(1, keyList(key('D'), key('b')), key('c'))],
]

// Mostly what is needed: under `merge` one signature too many spoils them all.
const signs = fc.oneof(
  fc.constantFrom<string[]>(['D'], ['a'], ['b'], ['D', 'a'], ['a', 'b'], ['D', 'a', 'b']),
  fc.subarray(['D', ...names, 'B']),
)
const steps = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('create' as const), body: fc.nat(bodies - 1), signs, waits: fc.boolean() }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('sign' as const), schedule: fc.nat(5), signs }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), schedule: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('rekey' as const), tree: fc.nat(trees.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('ask' as const), isAsked: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('down' as const), seconds: fc.integer({ min: 0, max: 12 }) }) },
)
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never

/** How a request reaches the network: once, twice, or by a node that dies under it. */
const manners = fc.constantFrom('once', 'twice', 'crashed')

class Run {
  readonly model: ScheduleModel
  /** The network's numbers of the schedules of the model. */
  readonly ids: (ScheduleID | undefined)[] = []
  readonly fresh = new Set<string>()

  constructor(
    readonly scene: Scene,
    policy: Policy,
  ) {
    this.model = new ScheduleModel(policy, 'D', trees[0]![0], lifetime)
  }

  /** Sends what `send` makes, in a manner; the same transaction every time. */
  async sent(send: () => Promise<Response>, manner: string): Promise<Response | undefined> {
    if (manner === 'once') return send()
    let first: Response | undefined
    if (manner === 'crashed') await this.#crashUnder(send)
    else first = await send()
    const again = await send()
    if (first !== undefined) expect(again.status).to.be.oneOf(['DUPLICATE_TRANSACTION', first.status])
    return first ?? (again.status === 'DUPLICATE_TRANSACTION' ? undefined : again)
  }

  async #crashUnder(send: () => Promise<Response>): Promise<void> {
    const lost = send().catch(() => undefined)
    await this.scene.downFor(0)
    await lost
  }

  async step(step: Step, manner: string): Promise<void> {
    const { scene, model } = this
    switch (step.do) {
      case 'create': {
        const waitUntil = step.waits ? scene.second + lifetime : undefined
        const body = scene.transfer('A', 'B', 10 ** step.body)
        const options = {
          signs: step.signs,
          adminKey: key('admin'),
          alsoSigning: [keyPair('admin')],
          validStart: this.#start(),
          ...(waitUntil === undefined ? {} : { expirationTime: waitUntil, waitForExpiry: true }),
        }
        await this.sent(() => scene.create(body, options), manner)
        const number = model.create(step.body, step.signs, scene.second, waitUntil)
        if (number !== undefined) {
          const record = await scene.network.record({
            accountID: scene.id('D'),
            transactionValidStart: options.validStart,
          })
          this.ids[number] ??= record.record?.receipt.schedule
        }
        return
      }
      case 'sign': {
        const options = { validStart: this.#start() }
        await this.sent(() => scene.sign(this.ids[step.schedule] ?? '0.0.7', step.signs, options), manner)
        model.sign(step.schedule, step.signs, scene.second)
        return
      }
      case 'delete': {
        const options = { validStart: this.#start() }
        await this.sent(() => scene.delete(this.ids[step.schedule] ?? '0.0.7', ['admin'], options), manner)
        model.delete(step.schedule, scene.second)
        return
      }
      case 'rekey': {
        const [tree, networkTree] = trees[step.tree]!
        await scene.rekey('A', networkTree, names, names)
        model.tree = tree
        return
      }
      case 'ask': {
        const receiver = { accountID: scene.id('B'), receiverSigRequired: step.isAsked }
        await scene.submit({ kind: 'cryptoUpdateAccount', ...receiver }, { as: 'treasury', with: ['B'] })
        model.receiver = step.isAsked ? 'B' : undefined
        return
      }
      case 'pass':
        await scene.pass(step.seconds)
        model.expire(scene.second)
        return
      case 'down':
        await scene.downFor(step.seconds)
        model.expire(scene.second)
    }
  }

  #starts = 0
  #start() {
    return { seconds: this.scene.second - 1, nanos: this.#starts++ }
  }

  /** The network has done exactly what the model says. */
  async check(): Promise<void> {
    const { scene, model } = this
    let moved = 0
    for (let body = 0; body < bodies; body++) moved += model.executed(body) * 10 ** body
    expect(await scene.balance('B')).to.equal(1_000 + moved)
    for (const [number, { end }] of model.schedules.entries())
      expect(await scene.ended(this.ids[number] ?? ''), `schedule ${number}`).to.equal(end)
  }
}

for (const policy of ['merge', 'reject'] as const)
  describe(`whatever the order, repetition and interleaving, under policy ${policy}`, function () {
    it('a schedule executes at most once, and exactly if its keys were satisfied when somebody looked', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(steps, manners), { minLength: 8, maxLength: 24 }), async (script) => {
          const scene = await Scene.open({ settings: { onIdentical: policy, txExpiryTimeSecs: lifetime } })
          await scene.person('A', { key: key('a'), keys: names, balance: 100_000 })
          await scene.person('B')
          const run = new Run(scene, policy)
          for (const [step, manner] of script) await run.step(step, manner)
          await run.check()
          await scene.pass(2 * lifetime)
          run.model.expire(scene.second)
          await run.check()
          await scene.virtual.stop()
        }),
        { numRuns: 25 },
      )
    })
  })
