/**
 * A ledger for tests of contracts: states are put there, transactions are tried on it, and nothing else runs. No
 * clock, no flow, no signature; only the rules.
 */
import { defineApp, type App } from '../../app/App.js'
import { Registry } from '../../app/Registry.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { Party } from '../../identity/Party.js'
import type { ResolvedState } from '../../ledger/LedgerTransaction.js'
import type { StateAndRef } from '../../ledger/StateAndRef.js'
import type { StateDefinition } from '../../ledger/StateDefinition.js'
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import { sealDraft } from '../../ledger/Transaction.js'
import { TransactionBuilder } from '../../ledger/TransactionBuilder.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { testParty } from '../testParty.js'
import { TransactionTrial } from './TransactionTrial.js'

/** A state on a test ledger, named by its label, its ref, or itself. */
export type Named = string | StateRef | StateAndRef<unknown>

type Entry = { readonly state: ResolvedState; consumedBy: TransactionId | undefined }

/** A ledger for tests of contracts. Make one with {@link ledger}. */
export class TestLedger {
  /** @internal */
  readonly registry: Registry
  readonly notary: Party
  readonly #entries = new Map<string, Entry>()
  readonly #labels = new Map<string, StateRef>()
  #salts = 0

  constructor(app: Pick<App, 'states'>, notary: Party) {
    this.registry = new Registry(defineApp({ name: 'test', states: app.states, flows: [] }))
    this.notary = notary
  }

  /** Puts a state on the ledger as if some transaction had produced it; no rule is asked. */
  given<A>(definition: StateDefinition<A>, data: NoInfer<A>, label?: string): StateAndRef<A> {
    const draft = new TransactionBuilder().produce(definition, data)
    const { id } = sealDraft(draft, this.notary, this.nextSalt())
    const [output] = draft.outputs
    const ref = { transaction: id, index: 0 }
    this.record(
      id,
      [],
      [
        {
          label,
          state: { ref, type: definition.type, data: output?.data, definition, contract: definition.contract },
        },
      ],
    )
    return { ref, type: definition.type, data }
  }

  /** Begins a transaction to be tried. */
  transaction(): TransactionTrial {
    return new TransactionTrial(this)
  }

  /** The state of a label. */
  state<A>(definition: StateDefinition<A>, label: string): StateAndRef<A> {
    const { state } = this.#entry(label)
    if (state.type !== definition.type)
      throw new CarillonError('state-unknown', `"${label}" is a ${state.type}, not a ${definition.type}.`)
    return { ref: state.ref, type: state.type, data: state.data as A }
  }

  /** What stands behind a label or a ref; throws `state-unknown` or, for a state to be used, `state-consumed`. */
  resolve(named: Named): ResolvedState {
    const { state, consumedBy } = this.#entry(named)
    if (consumedBy === undefined) return state
    throw new CarillonError(
      'state-consumed',
      `${typeof named === 'string' ? `"${named}"` : showRef(state.ref)} was already consumed by transaction ${consumedBy}.`,
      { ref: showRef(state.ref), consumedBy },
    )
  }

  #entry(named: Named): Entry {
    const ref = typeof named === 'string' ? this.#labels.get(named) : 'ref' in named ? named.ref : named
    const entry = ref === undefined ? undefined : this.#entries.get(showRef(ref))
    if (entry !== undefined) return entry
    const known = [...this.#labels.keys()].map((label) => `"${label}"`).join(', ')
    throw new CarillonError(
      'state-unknown',
      typeof named === 'string'
        ? `Nothing on this ledger is labelled "${named}". ${known === '' ? 'It has no labels yet' : `Its labels are ${known}`}.`
        : 'A state was named that is not on this ledger. Put it there with given(), or verify the transaction that produces it first.',
    )
  }

  nextSalt(): string {
    this.#salts += 1
    return this.#salts.toString(16).padStart(32, '0')
  }

  /** Takes a transaction on: what it consumes is used up, what it produces can be named. */
  record(
    id: TransactionId,
    inputs: readonly ResolvedState[],
    outputs: readonly { readonly label: string | undefined; readonly state: ResolvedState }[],
  ): void {
    for (const { ref } of inputs) {
      const entry = this.#entries.get(showRef(ref))
      if (entry !== undefined) entry.consumedBy = id
    }
    for (const { label, state } of outputs) {
      this.#entries.set(showRef(state.ref), { state, consumedBy: undefined })
      if (label !== undefined) this.#labels.set(label, state.ref)
    }
  }
}

/** A ledger to try transactions on, under the contracts of an app, or of a few states. */
export const ledger = (
  app: Pick<App, 'states'>,
  { notary = testParty('Notary') }: { readonly notary?: Party } = {},
): TestLedger => new TestLedger(app, notary)
