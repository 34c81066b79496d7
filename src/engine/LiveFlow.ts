/**
 * A flow's generator in memory. It can always be thrown away: running the code again over the record brings it
 * back to the operation it stands at.
 */
import { type CarillonError, recordRefusal, reviveError } from '../errors/CarillonError.js'
import { assertBody } from '../app/assertBody.js'
import type { Answer } from '../flow/Answer.js'
import type { AnyFlowDefinition, FlowBody } from '../app/FlowDefinition.js'
import type { FlowId } from '../log/FlowId.js'
import { FlowIo, type StartedBy } from '../app/FlowIo.js'
import type { FlowWatch } from './FlowWatch.js'
import { notAnOperation } from '../flow/invalidOperation.js'
import type { Operation } from '../app/Operation.js'
import type { Party } from '../identity/Party.js'
import { runCode } from '../ledger/runningCode.js'
import type { SigningContext } from '../ledger/SignedTransaction.js'
import { showRef } from '../ledger/StateRef.js'
import { tellsConsumed } from './tellsConsumed.js'

/** An operation that was answered since the record was last written. */
export type Unrecorded = { readonly operation: Operation; readonly answer: Answer }

/** Where the generator came to after a move. */
export type Stop =
  | { readonly kind: 'asks'; readonly operation: Operation }
  | { readonly kind: 'returned'; readonly result: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }

/** Nothing keeps app code from yielding something else than what `io` made. */
const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'kind' in value

export class LiveFlow {
  readonly id: FlowId
  /** Answered operations that are not in the record yet. */
  readonly unrecorded: Unrecorded[] = []
  /** The operation the flow stands at and waits for, when it is suspended. */
  pending: Operation | undefined
  progress: string | undefined
  /** About how many bytes the unrecorded operations will take. */
  weight = 0
  /** The state that it holds during its steps; undefined when it holds none, or knows that it is consumed. */
  #held: string | undefined
  /** The operation it has asked for last. */
  #asked: Operation | undefined
  /** On a development node: what looks on. */
  readonly watch: FlowWatch | undefined
  readonly #body: FlowBody<unknown>
  #network: SigningContext

  /** `version` is the one the flow was started with, which its code may ask for. */
  constructor(
    definition: AnyFlowDefinition,
    version: number,
    id: FlowId,
    me: Party,
    network: SigningContext,
    startedBy: StartedBy | undefined,
    input: unknown,
    watch?: FlowWatch,
  ) {
    this.id = id
    this.watch = watch
    this.#network = network
    this.#held = definition.holdsState && startedBy !== undefined ? showRef(startedBy.ref) : undefined
    // The map may change while the flow is in memory.
    const context: SigningContext = {
      id: network.id,
      identityOf: (key) => this.#network.identityOf(key),
      currentKeyOf: (identity) => this.#network.currentKeyOf(identity),
    }
    const io = new FlowIo({ name: definition.name, version }, id, me, context, startedBy)
    this.#body = assertBody(
      definition,
      this.#run(() => definition.run(watch?.watched(io) ?? io, input)),
    )
  }

  /** From now on the flow checks signatures by this map. */
  useNetwork(network: SigningContext): void {
    this.#network = network
  }

  /** Whether it holds the state of its activity during its steps. */
  get holdsState(): boolean {
    return this.#held !== undefined
  }

  begin(): Stop {
    return this.#move(() => this.#body.next())
  }

  resume(answer: Answer): Stop {
    if (this.#held !== undefined && this.#asked !== undefined && tellsConsumed(this.#asked, answer, this.#held))
      this.#held = undefined
    return answer.kind === 'value' ? this.#move(() => this.#body.next(answer.value)) : this.throwInto(answer.error)
  }

  /** The flow meets the error as its record will tell it, so that it meets the same one when it is run again. */
  throwInto(error: CarillonError): Stop {
    return this.#move(() => this.#body.throw(reviveError(recordRefusal(error, 'flow-threw'))))
  }

  #run<A>(run: () => A): A {
    const { watch } = this
    return runCode('flow', watch === undefined ? run : () => watch.run(run))
  }

  #move(move: () => IteratorResult<Operation, unknown>): Stop {
    try {
      const moved = this.#run(move)
      if (moved.done === true) {
        const fault = this.watch?.judge()
        return fault === undefined ? { kind: 'returned', result: moved.value } : { kind: 'threw', error: fault }
      }
      if (!isOperation(moved.value)) return { kind: 'threw', error: this.watch?.judge() ?? notAnOperation() }
      this.#asked = moved.value
      return { kind: 'asks', operation: moved.value }
    } catch (error) {
      return { kind: 'threw', error: this.watch?.judge({ error }) ?? error }
    }
  }
}
