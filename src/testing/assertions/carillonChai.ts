/**
 * Assertions for chai about what a node holds: its vault, its agenda, its flows, and the occurrences of a state. Each
 * compares only the members a test names, and says on a mismatch everything that is there.
 */
import { isDeepStrictEqual } from 'node:util'
import type { FlowSummary } from '../../flow/FlowSummary.js'
import type { StateDefinition } from '../../ledger/StateDefinition.js'
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import { Node } from '../../node/Node.js'
import type { AgendaEntry, AgendaQuery, Attempt } from '../../agenda/AgendaEntry.js'
import type { Page } from '../../vault/query/VaultQuery.js'
import { assertionFailure } from './AssertionFailure.js'
import { describeActivity, describeAttempt, describeFlow, describeState } from './describeEntries.js'
import { projectOn } from './projectOn.js'

/** What a test says about a row: some of its members, each as a value or, for text, as a pattern. */
export type Expected<A> = {
  readonly [K in keyof A]?: A[K] | RegExp | (A[K] extends object ? Expected<A[K]> : never)
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- this is how chai's plugins make their assertions known
  namespace Chai {
    interface Assertion {
      /** The unconsumed states of a kind, oldest first, are exactly these. */
      vault<A>(definition: StateDefinition<A>, expected: readonly Expected<NoInfer<A>>[]): Promise<void>
      /** What is to come, in order, is exactly this; with `show`, what is paused, started or needs attention. */
      agenda(expected: readonly Expected<AgendaEntry>[], show?: NonNullable<AgendaQuery['show']>): Promise<void>
      /** The attempts at a state's activity, in order, are exactly these. */
      occurrences(ref: StateRef, expected: readonly Expected<Attempt>[]): Promise<void>
      /** The flows, oldest first, are exactly these; with a name, the flows of that name. */
      flows(expected: readonly Expected<FlowSummary>[], name?: string): Promise<void>
    }
  }
}

/** As much of chai as the plugin needs. */
export type ChaiLike = { readonly Assertion: { readonly prototype: object } }

/** What is needed of the tools that chai hands to a plugin. */
export type ChaiUtilsLike = {
  readonly addMethod: (on: object, name: string, method: (this: object, ...values: never[]) => Promise<void>) => void
  readonly flag: (assertion: object, name: string) => unknown
}

const nodeIn = (subject: unknown): Node => {
  if (subject instanceof Node) return subject
  const held = typeof subject === 'object' && subject !== null && 'node' in subject ? subject.node : undefined
  if (held instanceof Node) return held
  throw new TypeError('This assertion is about a node: expect(node), expect(virtual), or expect(network.node("Ann")).')
}

/** Every page of an answer. */
const gather = async <A, C>(page: (after: C | undefined) => Promise<Page<A, C>>): Promise<readonly A[]> => {
  const items: A[] = []
  let after: C | undefined
  do {
    const answer = await page(after)
    items.push(...answer.items)
    after = answer.next
  } while (after !== undefined)
  return items
}

const afterOf = <C>(after: C | undefined): { readonly after?: C } => (after === undefined ? {} : { after })

type Comparison<A> = {
  readonly what: string
  readonly actual: readonly A[]
  readonly expected: readonly unknown[]
  readonly describe: (row: A) => string
  /** What of a row is compared; by default the row itself. */
  readonly part?: (row: A) => unknown
}

const compare = <A>(who: string, isNegated: boolean, comparison: Comparison<A>): void => {
  const { what, actual, expected, describe, part = (row: A): unknown => row } = comparison
  const projected = projectOn(actual.map(part), expected)
  const fits = isDeepStrictEqual(projected, expected)
  if (fits !== isNegated) return
  const there = actual.length === 0 ? ' nothing' : actual.map((row) => `\n  - ${describe(row)}`).join('')
  throw assertionFailure(
    `${who} should${isNegated ? ' not' : ''} have ${isNegated ? 'this' : 'another'} ${what}. There is:${there}`,
    projected,
    expected,
  )
}

/** The plugin: `chai.use(carillonChai)`, then `await expect(node).to.have.agenda([{ flow: 'tea/Pour' }])`. */
export const carillonChai = (chai: ChaiLike, utils: ChaiUtilsLike): void => {
  const add = (
    name: string,
    look: (node: Node, check: <A>(comparison: Comparison<A>) => void, ...values: never[]) => Promise<void>,
  ): void => {
    utils.addMethod(chai.Assertion.prototype, name, function (this: object, ...values: never[]) {
      const node = nodeIn(utils.flag(this, 'object'))
      const isNegated = utils.flag(this, 'negate') === true
      const check = <A>(comparison: Comparison<A>): void => {
        compare(`The node of ${node.party.name}`, isNegated, comparison)
      }
      return look(node, check, ...values)
    })
  }

  add('vault', async (node, check, definition: StateDefinition<unknown>, expected: readonly unknown[]) => {
    const actual = await gather((after: string | undefined) => node.query(definition, afterOf(after)))
    check({
      what: `vault of ${definition.type}`,
      actual,
      expected,
      describe: describeState,
      part: ({ data }) => data,
    })
  })
  add('agenda', async (node, check, expected: readonly unknown[], show?: AgendaQuery['show']) => {
    const query = show === undefined ? {} : { show }
    const actual = await gather((after: string | undefined) => node.agenda({ ...query, ...afterOf(after) }))
    check({
      what: show === undefined ? 'agenda' : `agenda of what is ${show}`,
      actual,
      expected,
      describe: describeActivity,
    })
  })
  add('occurrences', async (node, check, ref: StateRef, expected: readonly unknown[]) => {
    const actual = await node.occurrences(ref)
    check({ what: `history of attempts for state ${showRef(ref)}`, actual, expected, describe: describeAttempt })
  })
  add('flows', async (node, check, expected: readonly unknown[], name?: string) => {
    const query = name === undefined ? {} : { name }
    const newestFirst = await gather((after: number | undefined) => node.flows({ ...query, ...afterOf(after) }))
    check({
      what: name === undefined ? 'list of flows' : `list of flows named ${name}`,
      actual: [...newestFirst].reverse(),
      expected,
      describe: describeFlow,
    })
  })
}
