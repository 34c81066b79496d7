/**
 * A transaction that is tried on a test ledger. Every method gives a new trial and leaves the old one as it was, so
 * one can be varied in many ways; only `verifies` changes the ledger.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { Key } from '../../identity/Key.js'
import type { Party } from '../../identity/Party.js'
import type { CommandDefinition } from '../../ledger/Command.js'
import { LedgerTransaction, type ResolvedState } from '../../ledger/LedgerTransaction.js'
import type { StateDefinition } from '../../ledger/StateDefinition.js'
import type { StateRef } from '../../ledger/StateRef.js'
import type { TimeWindow } from '../../ledger/TimeWindow.js'
import { sealDraft } from '../../ledger/Transaction.js'
import { TransactionBuilder } from '../../ledger/TransactionBuilder.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { verifyTransaction } from '../../ledger/verifyTransaction.js'
import { assertionFailure } from '../assertions/AssertionFailure.js'
import type { Named, TestLedger } from './TestLedger.js'

type Output = {
  readonly label: string | undefined
  readonly type: string
  readonly data: unknown
  readonly add: (draft: TransactionBuilder) => void
}

type Parts = {
  readonly inputs: readonly Named[]
  readonly references: readonly Named[]
  readonly outputs: readonly Output[]
  readonly commands: readonly ((draft: TransactionBuilder) => void)[]
  readonly window: TimeWindow | undefined
}

type Tried = {
  readonly id: TransactionId
  readonly transaction: LedgerTransaction
}

/** A violation as a test expects it: a part of its sentence, or a pattern. */
export type ExpectedViolation = string | RegExp

const nothing: Parts = { inputs: [], references: [], outputs: [], commands: [], window: undefined }

const fits = (violation: string, expected: ExpectedViolation): boolean =>
  typeof expected === 'string' ? violation.includes(expected) : expected.test(violation)

const listed = (violations: readonly string[]): string => violations.map((violation) => `\n  - ${violation}`).join('')

const violationsIn = (error: CarillonError): readonly string[] => {
  const { violations } = error.details
  return Array.isArray(violations) ? (violations as readonly string[]) : [error.message]
}

const outputOf = <A>(definition: StateDefinition<A>, data: A, label: string | undefined): Output => ({
  label,
  type: definition.type,
  data,
  add: (draft) => {
    draft.produce(definition, data)
  },
})

/** A transaction to be tried. `ledger(app).transaction()` begins one. */
export class TransactionTrial {
  readonly #ledger: TestLedger
  readonly #parts: Parts
  /** A copy that is only tried: it leaves no trace on the ledger, whatever comes of it. */
  readonly #isTweak: boolean

  /** @internal */
  constructor(ledger: TestLedger, parts: Parts = nothing, isTweak = false) {
    this.#ledger = ledger
    this.#parts = parts
    this.#isTweak = isTweak
  }

  #with(change: Partial<Parts>): TransactionTrial {
    return new TransactionTrial(this.#ledger, { ...this.#parts, ...change }, this.#isTweak)
  }

  /** Uses states up, named by label or ref. */
  consume(...states: readonly Named[]): TransactionTrial {
    return this.#with({ inputs: [...this.#parts.inputs, ...states] })
  }

  /** Reads states without using them up. */
  reference(...states: readonly Named[]): TransactionTrial {
    return this.#with({ references: [...this.#parts.references, ...states] })
  }

  /** Makes a new state; with a label, later transactions can name it. */
  produce<A>(definition: StateDefinition<A>, data: NoInfer<A>, label?: string): TransactionTrial {
    return this.#with({ outputs: [...this.#parts.outputs, outputOf(definition, data, label)] })
  }

  /** States an intent and who must sign for it. */
  command<A>(
    definition: CommandDefinition<A>,
    signers: readonly (Key | Party)[],
    ...rest: [A] extends [undefined] ? [] : [data: NoInfer<A>]
  ): TransactionTrial {
    const add = (draft: TransactionBuilder): void => {
      draft.command(definition, signers, ...rest)
    }
    return this.#with({ commands: [...this.#parts.commands, add] })
  }

  /** Limits when it may be notarised. */
  timeWindow(window: TimeWindow): TransactionTrial {
    return this.#with({ window })
  }

  /** Changes what is produced: the outputs of this kind, or the one of a label. */
  change<A>(definition: StateDefinition<A>, change: (data: A) => NoInfer<A>, label?: string): TransactionTrial {
    let changed = 0
    const outputs = this.#parts.outputs.map((output) => {
      if (output.type !== definition.type || (label !== undefined && output.label !== label)) return output
      changed += 1
      return outputOf(definition, change(output.data as A), output.label)
    })
    if (changed === 0)
      throw new CarillonError(
        'state-unknown',
        `The transaction produces no ${definition.type}${label === undefined ? '' : ` labelled "${label}"`} that could be changed.`,
      )
    return this.#with({ outputs })
  }

  /** The same without its inputs, its references, its outputs, its commands or its time window. */
  without(...what: readonly ('inputs' | 'references' | 'outputs' | 'commands' | 'timeWindow')[]): TransactionTrial {
    const { window, ...parts } = this.#parts
    const cleared = Object.fromEntries(
      Object.keys(parts)
        .filter((name) => what.some((w) => w === name))
        .map((name) => [name, []]),
    )
    return this.#with({ ...cleared, window: what.includes('timeWindow') ? undefined : window })
  }

  /** Tries a variation, which leaves no trace, and gives back this very transaction to go on with. */
  tweak(tryOut: (copy: TransactionTrial) => unknown): this {
    tryOut(new TransactionTrial(this.#ledger, this.#parts, true))
    return this
  }

  /** Every rule it breaks; empty when it may be on the ledger. */
  violations(): readonly string[] {
    const tried = this.#try()
    return isLeft(tried) ? violationsIn(tried.left) : []
  }

  /** Fails unless every contract accepts it; then it is on the ledger, and the refs of what it produced are given. */
  verifies(): readonly StateRef[] {
    const tried = this.#try()
    if (isLeft(tried)) {
      const found = violationsIn(tried.left)
      throw assertionFailure(`The transaction should verify, but it does not:${listed(found)}`, found, [])
    }
    const { id, transaction } = tried.right
    const outputs = transaction.outputs.map((state, index) => ({ state, label: this.#parts.outputs[index]?.label }))
    if (!this.#isTweak) this.#ledger.record(id, transaction.inputs, outputs)
    return outputs.map(({ state }) => state.ref)
  }

  /** Fails unless it is refused for all of these reasons, and perhaps for others. */
  failsWith(...expected: readonly [ExpectedViolation, ...ExpectedViolation[]]): this {
    const found = this.#refused(expected)
    const missing = expected.filter((one) => !found.some((violation) => fits(violation, one)))
    if (missing.length > 0)
      throw assertionFailure(
        `The transaction is refused, but not because of ${missing.map(String).join(', nor ')}. All its violations:${listed(found)}`,
        found,
        expected.map(String),
      )
    return this
  }

  /** Fails unless it is refused for these reasons and no other. */
  failsOnlyWith(...expected: readonly [ExpectedViolation, ...ExpectedViolation[]]): this {
    this.failsWith(...expected)
    const found = this.violations()
    const others = found.filter((violation) => !expected.some((one) => fits(violation, one)))
    if (others.length > 0)
      throw assertionFailure(
        `The transaction is refused for more than was expected. All its violations:${listed(found)}`,
        found,
        expected.map(String),
      )
    return this
  }

  #refused(expected: readonly ExpectedViolation[]): readonly string[] {
    const found = this.violations()
    if (found.length === 0)
      throw assertionFailure(
        `The transaction should be refused because of ${expected.map(String).join(' and ')}, but it verifies.`,
        found,
        expected.map(String),
      )
    return found
  }

  #try(): Either<CarillonError, Tried> {
    try {
      const resolve = (named: Named): ResolvedState => this.#ledger.resolve(named)
      const inputs = this.#parts.inputs.map(resolve)
      const references = this.#parts.references.map(resolve)
      const draft = new TransactionBuilder().consume(...inputs).reference(...references)
      for (const { add } of this.#parts.outputs) add(draft)
      for (const add of this.#parts.commands) add(draft)
      if (this.#parts.window !== undefined) draft.timeWindow(this.#parts.window)
      const { notary, registry } = this.#ledger
      const { id } = sealDraft(draft, notary, this.#ledger.nextSalt())
      const outputs = draft.outputs.map(({ definition, data }, index) => ({
        ref: { transaction: id, index },
        type: definition.type,
        data,
        definition: registry.requireState(definition.type),
        contract: definition.contract,
      }))
      const transaction = new LedgerTransaction({
        inputs,
        references,
        outputs,
        commands: draft.commands,
        timeWindow: draft.window,
        notary,
      })
      const verified = verifyTransaction(transaction, registry.contract)
      return isLeft(verified) ? verified : right({ id, transaction })
    } catch (error) {
      if (error instanceof CarillonError) return left(error)
      throw error
    }
  }
}
