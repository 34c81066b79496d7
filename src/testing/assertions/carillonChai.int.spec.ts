import { AssertionError } from 'node:assert'
import { expect, use } from 'chai'
import * as t from 'io-ts'
import { some } from 'fp-ts/lib/Option.js'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  instant,
  InstantC,
  PartyC,
  StateRefC,
  type FlowBody,
} from '../../index.js'
import { carillonChai, VirtualNode } from '../index.js'

use(carillonChai)

const Do = defineCommand({ type: 'test/Do' })
const Egg = defineState({
  type: 'test/Egg',
  data: t.strict({ cook: PartyC, kind: t.string, doneAt: InstantC }),
  participants: ({ cook }) => [cook],
  nextScheduledActivity: ({ doneAt }, egg) => some(Eat.at(doneAt, { egg })),
})
const Boil = defineFlow({
  name: 'test/Boil',
  input: t.strict({ kind: t.string, doneAt: InstantC }),
  *run(io, { kind, doneAt }) {
    return (yield* io.finalise((tx) => tx.produce(Egg, { cook: io.me, kind, doneAt }).command(Do, [io.me]))).output()
  },
})
const Eat = defineFlow({
  name: 'test/Eat',
  schedulable: true,
  input: t.strict({ egg: StateRefC }),
  *run(io, { egg }): FlowBody<string> {
    const current = yield* io.load(Egg, egg)
    if (current.data.kind === 'rotten') throw new Error('it smells')
    yield* io.finalise((tx) => tx.consume(current).command(Do, [io.me]))
    return 'mmm'
  },
})
const app = defineApp({ name: 'eggs', states: [Egg], flows: [Boil, Eat] })

const failureOf = async (assertion: Promise<void>): Promise<AssertionError> => {
  const error: unknown = await assertion.then(
    () => expect.fail('the assertion holds'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof AssertionError) return error
  throw error
}

describe('Assertions about a node', () => {
  const doneAt = instant('2026-01-01T00:05:00Z')
  const boiled = async (kind: string) => {
    const virtual = await VirtualNode.start({ app })
    return { virtual, ref: await virtual.node.run(Boil, { kind, doneAt }) }
  }

  it('compare only what a test names, before and after an activity', async () => {
    const { virtual, ref } = await boiled('soft')
    await expect(virtual).to.have.vault(Egg, [{ kind: 'soft' }])
    await expect(virtual.node).to.have.agenda([{ flow: 'test/Eat', due: doneAt }])
    await expect(virtual).not.to.have.agenda([])
    await virtual.advanceTo(doneAt)
    await expect(virtual).to.have.vault(Egg, [])
    await expect(virtual).to.have.agenda([])
    await expect(virtual).to.have.occurrences(ref, [{ outcome: 'completed', latenessMs: 0 }])
    await expect(virtual).to.have.flows([{ name: 'test/Boil' }, { name: /Eat$/, result: 'mmm' }])
    await expect(virtual).to.have.flows(
      [{ status: 'completed', startedBy: { kind: 'activity', due: doneAt } }],
      'test/Eat',
    )
  })

  it('fail with everything that is there, and with the difference alone', async () => {
    const { virtual, ref } = await boiled('rotten')
    const failure = await failureOf(expect(virtual).to.have.agenda([{ flow: 'test/Throw' }]))
    expect(failure.message).to.match(
      /^The node of Me should have another agenda. There is:\n {2}- 2026-01-01T00:05:00.000Z {2}scheduled {2}test\/Eat {2}of test\/Egg [0-9a-f]{8}:0$/,
    )
    expect(failure.actual).to.deep.equal([{ flow: 'test/Eat' }])
    expect(failure.expected).to.deep.equal([{ flow: 'test/Throw' }])
    await virtual.advanceTo(doneAt)
    const attempts = await failureOf(expect(virtual).to.have.occurrences(ref, []))
    expect(attempts.message).to.include('attempt 1  failed  on time  test/Eat  flow-threw: it smells')
    const vault = await failureOf(expect(virtual).not.to.have.vault(Egg, [{ kind: 'rotten' }]))
    expect(vault.message).to.include('should not have this vault of test/Egg').and.to.include('"kind":"rotten"')
    const flows = await failureOf(expect(virtual).to.have.flows([]))
    expect(flows.message).to.include('test/Boil  completed  returned').and.to.include('test/Eat  failed')
  })

  it('look at more than one page', async () => {
    const { virtual } = await boiled('soft')
    for (let egg = 1; egg < 130; egg++) await virtual.node.run(Boil, { kind: `egg ${egg}`, doneAt })
    await expect(virtual).to.have.vault(
      Egg,
      Array.from({ length: 130 }, () => ({ doneAt })),
    )
    await expect(virtual).to.have.agenda(Array.from({ length: 130 }, () => ({ due: doneAt })))
  })

  it('say what they are about when they are asked about something else', () => {
    expect(() => expect(5).to.have.agenda([])).to.throw(TypeError, 'This assertion is about a node')
  })
})
