/**
 * An app that meets every part of the log's vocabulary, and random work for it: flows that sleep, step, fail and
 * park, activities that are due, missed and parked, operators that interfere, stops and crashes.
 */
import * as fc from 'fast-check'
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  CarillonError,
  defineApp,
  defineCommand,
  defineFlow,
  defineSignal,
  defineState,
  instant,
  InstantC,
  IntegerC,
  parkFlow,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
} from '../../src/index.js'
import { NewTokenC, type NewToken } from '../../src/operator/operateTokens.js'
import { sha256 } from '../../src/encoding/hash.js'
import type { VirtualNode } from '../../src/testing/index.js'

const moods = ['plain', 'once', 'tolerant', 'tolerant with onMissed', 'throws', 'none', 'extra'] as const
const MoodC = t.keyof({
  plain: null,
  once: null,
  tolerant: null,
  'tolerant with onMissed': null,
  throws: null,
  none: null,
  extra: null,
})
type Mood = (typeof moods)[number]

const Change = defineCommand({ type: 'workload/Change', data: t.strict({ why: t.string }) })

/** The app as it was installed at some time: each says something else about the same states. */
const eras = ['first', 'later', 'silent', 'without a flow'] as const
type Era = (typeof eras)[number]

const itemOf = (era: Era) =>
  defineState({
    type: 'workload/Item',
    data: t.strict({ owner: PartyC, label: t.string, count: IntegerC, dueAt: InstantC, mood: MoodC, end: IntegerC }),
    participants: ({ owner }) => [owner],
    indexed: {
      mood: ({ mood }) => mood,
      many: ({ count }) => (count > 2 ? true : undefined),
      ...(era === 'later' ? { count: ({ count }: { readonly count: number }) => count } : {}),
    },
    nextScheduledActivity: ({ mood, dueAt: saidAt, count, end }, ref) => {
      const dueAt = era === 'later' ? plus(saidAt, { seconds: 5 }) : saidAt
      if (mood === 'none' || count >= end || era === 'silent') return none
      if (mood === 'throws' && count % 2 === 1) throw new Error(`no idea\n${'…'.repeat(3)}`)
      if (mood === 'once') return some(Advance.at(dueAt, { item: ref }, { once: true }))
      if (mood === 'tolerant') return some(Advance.at(dueAt, { item: ref }, { toleranceMs: 1_000 }))
      if (mood === 'tolerant with onMissed')
        return some(Advance.at(dueAt, { item: ref }, { toleranceMs: 1_000, onMissed: Skip.ref({ item: ref }) }))
      const asked = Advance.at(dueAt, { item: ref })
      return some(mood === 'extra' ? { ...asked, note: 'a member that no activity has' } : asked)
    },
  })

export const Item = itemOf('first')

const advanced = function* (io: Parameters<typeof Advance.run>[0], item: t.TypeOf<typeof StateRefC>): FlowBody<string> {
  const current = yield* io.load(Item, item)
  const { count, dueAt } = current.data
  const { id } = yield* io.finalise((tx) =>
    tx
      .consume(current)
      .produce(Item, { ...current.data, count: count + 1, dueAt: plus(dueAt, { seconds: 7 }) })
      .command(Change, [current.data.owner], { why: `count ${count}` }),
  )
  return id
}

const Advance = defineFlow({
  name: 'workload/Advance',
  schedulable: true,
  input: t.strict({ item: StateRefC }),
  *run(io, { item }): FlowBody<string> {
    const { data } = yield* io.load(Item, item)
    if (data.count % 3 === 2) {
      yield* io.progress(`before the wait of ${data.label}`)
      yield* io.step('looks', () => data.count)
      yield* io.sleep({ seconds: data.count })
    }
    if (data.label.length % 4 === 3) throw new Error(`gives up on ${data.label}`)
    return yield* advanced(io, item)
  },
})

const Skip = defineFlow({
  name: 'workload/Skip',
  schedulable: true,
  input: t.strict({ item: StateRefC }),
  *run(io, { item }): FlowBody<string> {
    return yield* advanced(io, item)
  },
})

const Make = defineFlow({
  name: 'workload/Make',
  input: t.strict({ label: t.string, mood: MoodC, delaySeconds: IntegerC, copies: IntegerC }),
  *run(io, { label, mood, delaySeconds, copies }): FlowBody<readonly string[]> {
    const now = yield* io.now()
    const { outputs } = yield* io.finalise((tx) => {
      for (let copy = 0; copy < copies; copy++)
        tx.produce(Item, {
          owner: io.me,
          label: `${label} ${copy}`,
          count: 0,
          dueAt: plus(now, { seconds: delaySeconds + copy }),
          mood,
          end: 6,
        })
      return tx.command(Change, [io.me], { why: label })
    })
    return outputs.map(({ transaction }) => transaction)
  },
})

const Bell = defineSignal({ name: 'workload/Bell', data: t.strict({ rings: IntegerC }) })

/** Waits for a signal, and for an hour at most. */
const Hear = defineFlow({
  name: 'workload/Hear',
  input: t.strict({}),
  *run(io): FlowBody<string> {
    const heard = yield* io.signal(Bell, { within: { hours: 1 } })
    yield* io.sleep({ seconds: 2 })
    return heard._tag
  },
})

/** Consumes an item that others may be at. */
const Take = defineFlow({
  name: 'workload/Take',
  input: t.strict({}),
  *run(io): FlowBody<boolean> {
    const [item] = yield* io.query(Item, { limit: 1, where: { not: { locked: true } } })
    if (item === undefined) return false
    yield* io.finalise((tx) => tx.consume(item).command(Change, [io.me], { why: 'taken' }))
    return true
  },
})

const Work = defineFlow({
  name: 'workload/Work',
  input: t.strict({ steps: IntegerC, how: t.string, label: t.string }),
  *run(io, { steps, how, label }): FlowBody<unknown> {
    const id = yield* io.newId()
    const results: unknown[] = []
    for (let index = 0; index < steps; index++) {
      const failing = how === 'fails' && index === 1
      const result = yield* io.attempt(
        io.step(
          `${label} ${index}`,
          ({ attempt }) => {
            if (failing || (how === 'flaky' && attempt < 2)) throw new Error(`step ${index} fails`)
            return { index, label, nothing: null }
          },
          { retry: { attempts: 3, firstWaitMs: 500, longestWaitMs: 2_000 } },
        ),
      )
      results.push(result._tag)
      if (how === 'sleeps') yield* io.sleep({ seconds: 3 })
    }
    if (how === 'parks') throw parkFlow(`waits for a hand: ${label}`)
    if (how === 'throws') throw new CarillonError('contract-violated', label, { place: label, count: steps })
    const known = yield* io.query(Item, { limit: 3, where: { not: { locked: true } } })
    yield* io.lock(...known)
    yield* io.sleep({ seconds: steps })
    yield* io.unlock(...known.slice(0, 2))
    return { id, results, known: known.length }
  },
})

const appOf = (era: Era) =>
  defineApp({
    name: 'workload',
    version: era,
    states: [itemOf(era)],
    flows: [...(era === 'without a flow' ? [] : [Advance]), Skip, Make, Work, Hear, Take],
    signals: [Bell],
  })

export const workloadApp = appOf('first')

const labels = fc.string({ unit: 'grapheme', maxLength: 8 })

/** One thing that happens to a node. */
export const deeds = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('make' as const),
      label: labels,
      mood: fc.constantFrom<Mood>(...moods),
      delaySeconds: fc.nat({ max: 20 }),
      copies: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('work' as const),
      label: labels,
      steps: fc.nat({ max: 3 }),
      how: fc.constantFrom('plain', 'flaky', 'fails', 'sleeps', 'parks', 'throws'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.nat({ max: 40 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'trigger' as const,
        'retry' as const,
        'dismiss' as const,
        'pause' as const,
        'resume' as const,
        'reassess' as const,
        'killFlow' as const,
        'retryFlow' as const,
        'pauseFlow' as const,
        'resumeFlow' as const,
        'drain' as const,
        'endDraining' as const,
        'issueToken' as const,
        'revokeToken' as const,
        'cancelFlow' as const,
        'dismissFlow' as const,
        'hear' as const,
        'signal' as const,
        'take' as const,
      ),
      choice: fc.nat(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('crash' as const, 'stop' as const),
      downSeconds: fc.nat({ max: 30 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('upgrade' as const), era: fc.constantFrom<Era>(...eras) }) },
)
export type Deed = typeof deeds extends fc.Arbitrary<infer D> ? D : never

const tokenOf = (choice: number): NewToken => {
  const token = sha256(`token ${choice}`).slice(0, 12)
  const hash = sha256(`secret of ${token}`)
  const expiring = choice % 2 === 0 ? {} : { expiresAt: instant('2030-01-01T00:00:00.000Z') }
  const decoded = NewTokenC.decode({ token, name: 'Ann', hash, permissions: ['view', 'start:it/*'], ...expiring })
  if (decoded._tag === 'Left') throw new Error('not a token')
  return decoded.right
}

const operate = async (virtual: VirtualNode, deed: Extract<Deed, { readonly choice: number }>): Promise<void> => {
  const { node } = virtual
  switch (deed.kind) {
    case 'drain':
    case 'endDraining':
      return node[deed.kind]({ by: 'an operator' })
    case 'issueToken':
      return node.issueToken(tokenOf(deed.choice), { by: 'an operator' })
    case 'revokeToken': {
      const tokens = await node.tokens()
      const token = tokens[deed.choice % Math.max(tokens.length, 1)]
      return token === undefined ? undefined : node.revokeToken(token.id, { by: 'an operator' })
    }
    case 'reassess':
      await node.reassess(Item)
      return
    case 'hear':
      await node.start(Hear, {})
      return
    case 'take':
      await node.start(Take, {})
      return
    case 'signal': {
      const { items } = await node.flows({ name: Hear.name, status: 'open' })
      const flow = items[deed.choice % Math.max(items.length, 1)]
      if (flow !== undefined) await node.signal(flow.id, Bell, { rings: deed.choice })
      return
    }
    case 'cancelFlow':
    case 'dismissFlow':
    case 'killFlow':
    case 'retryFlow':
    case 'pauseFlow':
    case 'resumeFlow': {
      const status = {
        cancelFlow: 'open',
        dismissFlow: 'attention',
        killFlow: 'open',
        retryFlow: 'parked',
        pauseFlow: 'open',
        resumeFlow: 'paused',
      } as const
      const { items } = await node.flows({ status: status[deed.kind] })
      const flow = items[deed.choice % Math.max(items.length, 1)]
      return flow === undefined ? undefined : node[deed.kind](flow.id)
    }
    default: {
      const show = {
        trigger: 'scheduled',
        dismiss: 'attention',
        retry: 'attention',
        pause: 'scheduled',
        resume: 'paused',
      } as const
      const { items } = await node.agenda({ show: show[deed.kind] })
      const entry = items[deed.choice % Math.max(items.length, 1)]
      return entry === undefined ? undefined : node[deed.kind](entry.ref, { by: 'an operator' })
    }
  }
}

/** Does one deed; what the node refuses is part of the workload. */
export const perform = async (virtual: VirtualNode, deed: Deed): Promise<void> => {
  const refusable = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work
    } catch (error) {
      if (!(error instanceof CarillonError) || error.consequence === 'stop') throw error
    }
  }
  switch (deed.kind) {
    case 'make': {
      const { label, mood, delaySeconds, copies } = deed
      await refusable(virtual.node.start(Make, { label, mood, delaySeconds, copies }, { clientId: label }))
      break
    }
    case 'work':
      await refusable(virtual.node.start(Work, { steps: deed.steps, how: deed.how, label: deed.label }))
      break
    case 'wait':
      await virtual.advanceBy({ seconds: deed.seconds })
      return
    case 'crash':
    case 'stop':
      await virtual[deed.kind]()
      virtual.clock.setTo(virtual.clock.now() + deed.downSeconds * 1_000)
      await virtual.restart()
      return
    case 'upgrade':
      await virtual.crash()
      await virtual.restart({ app: appOf(deed.era) })
      return
    default:
      await refusable(operate(virtual, deed))
  }
  if (deed.kind !== 'make') await virtual.runUntilQuiet()
}

const make = (mood: Mood, delaySeconds: number): Deed => ({ kind: 'make', label: 'it', mood, delaySeconds, copies: 1 })
const wait = (seconds: number): Deed => ({ kind: 'wait', seconds })
const upgrade = (era: Era): Deed => ({ kind: 'upgrade', era })
const operator = (kind: Extract<Deed, { readonly choice: number }>['kind']): Deed => ({ kind, choice: 0 })
const work = (how: Extract<Deed, { readonly kind: 'work' }>['how'], steps = 0): Deed => ({
  kind: 'work',
  label: 'it',
  steps,
  how,
})

/** Work that leads to events of every type there is. */
export const tour: readonly Deed[][] = [
  [work('sleeps', 2), operator('pauseFlow'), operator('resumeFlow'), operator('killFlow'), work('flaky', 1), wait(9)],
  [work('parks'), operator('retryFlow'), make('throws', 1), wait(30), operator('retry'), operator('dismiss')],
  [make('tolerant', 5), { kind: 'crash', downSeconds: 30 }, { kind: 'stop', downSeconds: 1 }],
  [make('plain', 5), operator('pause'), operator('resume'), upgrade('later'), wait(6), upgrade('silent'), wait(60)],
  [make('plain', 5), upgrade('later'), operator('reassess'), operator('trigger')],
  [make('plain', 5), upgrade('without a flow'), wait(10), operator('drain'), operator('endDraining')],
  [operator('issueToken'), operator('revokeToken')],
  [
    operator('hear'),
    operator('signal'),
    operator('cancelFlow'),
    wait(3),
    operator('hear'),
    operator('signal'),
    wait(3),
  ],
  [make('plain', 1), wait(16), operator('take'), wait(9), operator('dismissFlow')],
  [make('none', 5), work('plain', 1), wait(9)],
]
