/**
 * The unconsumed states of every chore, in memory: a fold over the node's log that begins with what its vault holds.
 * It can always be thrown away and made again; it only saves asking the vault for each question.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  showRef,
  StateRefC,
  type Committed,
  type EventOf,
  type Node,
  type StateAndRef,
  type StateDefinition,
  type StateRef,
} from 'carillon'
import { Conductor, type ConductorData } from './ConductorState.js'
import { HappeningC, HappeningCommand, type Happening } from './Happening.js'
import { Scheduler, type SchedulerData } from './SchedulerState.js'
import { Task, type TaskData } from './TaskState.js'

export type ChoreStates = {
  readonly scheduler: StateAndRef<SchedulerData>
  readonly conductor: StateAndRef<ConductorData> | undefined
  readonly task: StateAndRef<TaskData> | undefined
}

/** The part of a transaction that matters here. */
const SeenTransactionC = t.type({
  inputs: t.array(StateRefC),
  outputs: t.array(t.type({ type: t.string, data: t.unknown })),
  commands: t.array(t.type({ type: t.string, data: t.unknown })),
})

export const readTransaction = ({ body }: EventOf<'TransactionRecorded'>): t.TypeOf<typeof SeenTransactionC> => {
  const decoded = SeenTransactionC.decode('text' in body ? JSON.parse(body.text) : body)
  if (isLeft(decoded)) throw new Error('A transaction in the log has another form than this sample knows.')
  return decoded.right
}

export const happeningsOf = (commands: t.TypeOf<typeof SeenTransactionC>['commands']): readonly Happening[] =>
  commands.flatMap(({ type, data }) => {
    const decoded = type === HappeningCommand.type ? HappeningC.decode(data) : undefined
    return decoded === undefined || isLeft(decoded) ? [] : [decoded.right]
  })

/** One level of all chores. */
class Level<A extends { readonly choreId: string }> {
  readonly #definition: StateDefinition<A>
  readonly #byChore = new Map<string, StateAndRef<A>>()
  readonly #choreOf = new Map<string, string>()

  constructor(definition: StateDefinition<A>) {
    this.#definition = definition
  }

  get(choreId: string): StateAndRef<A> | undefined {
    return this.#byChore.get(choreId)
  }

  has(ref: string): boolean {
    return this.#choreOf.has(ref)
  }

  values(): Iterable<StateAndRef<A>> {
    return this.#byChore.values()
  }

  add(state: StateAndRef<A>): void {
    this.#byChore.set(state.data.choreId, state)
    this.#choreOf.set(showRef(state.ref), state.data.choreId)
  }

  produce(ref: StateRef, type: string, data: unknown): void {
    if (type !== this.#definition.type) return
    const decoded = this.#definition.data.decode(data)
    if (isLeft(decoded)) throw new Error(`A ${type} in the log has another form than this sample knows.`)
    this.add({ ref, type, data: decoded.right })
  }

  consume(ref: string): void {
    const choreId = this.#choreOf.get(ref)
    if (choreId === undefined) return
    this.#choreOf.delete(ref)
    const state = this.#byChore.get(choreId)
    if (state !== undefined && showRef(state.ref) === ref) this.#byChore.delete(choreId)
  }

  async load(node: Node): Promise<void> {
    const { type, data: codec } = this.#definition
    for (let after: string | undefined = '0'; after !== undefined;) {
      const page: Awaited<ReturnType<Node['queryVault']>> = await node.queryVault({ type, after, limit: 1_000 })
      for (const { ref, data } of page.items) {
        const decoded = codec.decode(data)
        if (!isLeft(decoded)) this.add({ ref, type, data: decoded.right })
      }
      after = page.next
    }
  }
}

export type ViewListener = {
  readonly consumed: (ref: string) => void
  readonly happened: (happening: Happening) => void
}

export class ChoreView {
  readonly #schedulers = new Level(Scheduler)
  readonly #conductors = new Level(Conductor)
  readonly #tasks = new Level(Task)
  readonly #listener: ViewListener

  private constructor(listener: ViewListener) {
    this.#listener = listener
  }

  /** Begins to follow, then takes what the vault holds, then catches up with what was committed meanwhile. */
  static async follow(node: Node, listener: ViewListener): Promise<{ view: ChoreView; unfollow: () => void }> {
    const view = new ChoreView(listener)
    const meanwhile: Committed[] = []
    let apply = (committed: Committed): void => {
      meanwhile.push(committed)
    }
    const unfollow = node.follow((committed) => {
      apply(committed)
    })
    for (const level of [view.#schedulers, view.#conductors, view.#tasks]) await level.load(node)
    for (const committed of meanwhile) view.#apply(committed)
    apply = (committed) => {
      view.#apply(committed)
    }
    return { view, unfollow }
  }

  find(choreId: string): ChoreStates | undefined {
    const scheduler = this.#schedulers.get(choreId)
    return scheduler === undefined
      ? undefined
      : { scheduler, conductor: this.#conductors.get(choreId), task: this.#tasks.get(choreId) }
  }

  /** Chore ids in no particular order. */
  choreIds(): readonly string[] {
    return Array.from(this.#schedulers.values(), ({ data }) => data.choreId)
  }

  isCurrent(ref: string): boolean {
    return this.#conductors.has(ref) || this.#tasks.has(ref)
  }

  #apply({ events }: Committed): void {
    for (const event of events) {
      if (event.type !== 'TransactionRecorded') continue
      const { inputs, outputs, commands } = readTransaction(event)
      for (const input of inputs) {
        const ref = showRef(input)
        for (const level of [this.#schedulers, this.#conductors, this.#tasks]) level.consume(ref)
        this.#listener.consumed(ref)
      }
      for (const [index, { type, data }] of outputs.entries()) {
        const ref = { transaction: event.id, index }
        for (const level of [this.#schedulers, this.#conductors, this.#tasks]) level.produce(ref, type, data)
      }
      for (const happening of happeningsOf(commands)) this.#listener.happened(happening)
    }
  }
}
