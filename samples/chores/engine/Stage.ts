/**
 * Where conductors and tasks are really executed: the one part of the framework that lives in memory. It holds
 * what cannot be put on a ledger (closures, callbacks under way), so nothing here is worth keeping: what a new
 * process lacks, the run it belongs to does without, by starting again from the beginning.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import * as t from 'io-ts'
import { IntegerC, showRef, type StateRef } from 'carillon'
import {
  choreLimits,
  errorText,
  faultOfName,
  thrownText,
  type ChoreDefinition,
  type ConductorContext,
  type TaskFunction,
} from './ChoreDefinition.js'
import { Conductor, Task } from './states.js'

const FailedC = t.readonly(t.strict({ kind: t.literal('Error'), text: t.string }))
const DoneC = t.readonly(t.strict({ kind: t.literal('Done') }))
/** Nobody waits for it any more: its state is consumed, or its closure was lost with a process. */
const GoneC = t.readonly(t.strict({ kind: t.literal('gone') }))

/** What one execution of a conductor came to, as a flow records it. */
export const ConductTurnC = t.union([
  t.readonly(
    t.strict({
      kind: t.literal('ContinueIn'),
      seconds: IntegerC,
      task: t.union([t.string, t.null]),
    }),
  ),
  DoneC,
  FailedC,
  GoneC,
  /** The run began in another life of the node; it must start again. */
  t.readonly(t.strict({ kind: t.literal('interrupted'), life: IntegerC })),
])
export type ConductTurn = t.TypeOf<typeof ConductTurnC>

/** What one chunk of a task came to. */
export const TaskTurnC = t.union([t.readonly(t.strict({ kind: t.literal('Continue') })), DoneC, FailedC, GoneC])
export type TaskTurn = t.TypeOf<typeof TaskTurnC>

/** A callback that is being executed, and the state it was started from. */
type Execution = { readonly choreId: string; readonly ref: string; stopRequested: boolean }

type PendingTask = { readonly taskId: string; readonly run: TaskFunction }
/** A tick of a conductor. It travels with the callback, so one that outlives its run cannot speak for the next. */
type Conducting = { readonly context: ConductorContext; pending: PendingTask | undefined }

/** A task by the tick that started it; another run's or another life's task never has the same. */
export type TaskKey = { readonly choreId: string; readonly run: number; readonly serial: number; readonly life: number }

const textOf = ({ run, serial, life }: TaskKey): string => `${life}.${run}.${serial}`

const levels = { Conductor, Task } as const

const gone = { kind: 'gone' } as const
const failure = (text: string) => ({ kind: 'Error', text }) as const

/** What a callback gave, as far as it can be looked at: it may be anything. */
const fieldsOf = (action: unknown): { readonly kind?: unknown; readonly text?: unknown; readonly seconds?: unknown } =>
  typeof action === 'object' && action !== null ? action : {}

const unknownAction = (who: string, kind: unknown): string =>
  `${who} returned ${typeof kind === 'string' ? `the unknown kind "${errorText(kind).slice(0, 100)}"` : 'nothing the engine knows'}.`

export class Stage {
  readonly definitions = new Map<string, ChoreDefinition>()
  readonly #executions = new Set<Execution>()
  readonly #conducting = new AsyncLocalStorage<Conducting>()
  readonly #tasks = new Map<string, { readonly key: string; readonly run: TaskFunction }>()
  /** Whether a state is still unconsumed; until someone can tell, it is. */
  isCurrent: (type: string, choreId: string, ref: StateRef) => Promise<boolean> = () => Promise.resolve(true)

  /** Called by a conductor before it returns: the task starts once it has. A second call replaces the first. */
  setPendingTask(choreId: string, taskId: string, run: TaskFunction): void {
    const conducting = this.#conducting.getStore()
    if (conducting?.context.choreId !== choreId)
      throw new Error(`Chore ${choreId} is not being conducted: call setPendingTask from its conductor.`)
    if (conducting.context.isTaskRunning)
      throw new Error(`A task of chore ${choreId} is still running: start ${taskId} when isTaskRunning is false.`)
    const fault = faultOfName('The id of a task', taskId)
    if (fault !== undefined) throw new Error(fault)
    conducting.pending = { taskId, run }
  }

  /** One tick of a conductor. Never throws: whatever goes wrong is the run's failure. */
  async conduct(ref: StateRef, choreType: string, context: ConductorContext, key: TaskKey): Promise<ConductTurn> {
    const definition = this.definitions.get(choreType)
    if (definition === undefined)
      return failure(`No chore ${choreType} is registered; its conductor is not there to be called.`)
    // A stop was meant for the run before.
    if (context.invocationCount === 0) this.requestStop(context.choreId, false)
    const conducting: Conducting = { context, pending: undefined }
    return this.#execute('Conductor', context.choreId, ref, async (): Promise<ConductTurn> => {
      const action: unknown = await this.#conducting.run(conducting, () => definition.conduct(context))
      const { kind, text, seconds } = fieldsOf(action)
      if (kind === 'Done') return { kind }
      if (kind === 'Error') return failure(errorText(text))
      if (kind !== 'ContinueIn') return failure(unknownAction('The conductor', kind))
      if (!Number.isSafeInteger(seconds) || Number(seconds) < 0 || Number(seconds) > choreLimits.longestSeconds)
        return failure(`The conductor asked to continue in ${thrownText(seconds)} seconds.`)
      const { pending } = conducting
      if (pending !== undefined) this.#tasks.set(context.choreId, { key: textOf(key), run: pending.run })
      return { kind, seconds: Number(seconds), task: pending?.taskId ?? null }
    })
  }

  /** One chunk of a task. Never throws. */
  async runTask(ref: StateRef, key: TaskKey): Promise<TaskTurn> {
    const task = this.#tasks.get(key.choreId)
    if (task?.key !== textOf(key)) return gone
    const turn = await this.#execute('Task', key.choreId, ref, async (): Promise<TaskTurn> => {
      const { kind, text } = fieldsOf(await task.run())
      if (kind === 'Continue' || kind === 'Done') return { kind }
      return failure(kind === 'Error' ? errorText(text) : unknownAction('The task', kind))
    })
    if (turn.kind !== 'Continue' && this.#tasks.get(key.choreId) === task) this.#tasks.delete(key.choreId)
    return turn
  }

  isExecuting(ref: StateRef): boolean {
    const shown = showRef(ref)
    for (const execution of this.#executions) if (execution.ref === shown) return true
    return false
  }

  /** Whether a stop was asked for while something executed that still does. */
  isStopRequested(choreId: string): boolean {
    for (const execution of this.#executions) if (execution.choreId === choreId && execution.stopRequested) return true
    return false
  }

  requestStop(choreId: string, stopRequested: boolean): void {
    for (const execution of this.#executions) if (execution.choreId === choreId) execution.stopRequested = stopRequested
  }

  async #execute<T>(
    who: keyof typeof levels,
    choreId: string,
    ref: StateRef,
    callback: () => Promise<T>,
  ): Promise<T | ReturnType<typeof failure> | typeof gone> {
    // A stop may have been recorded together with the start of this step.
    if (!(await this.isCurrent(levels[who].type, choreId, ref))) return gone
    const execution: Execution = { choreId, ref: showRef(ref), stopRequested: false }
    this.#executions.add(execution)
    try {
      return await callback()
    } catch (thrown) {
      return failure(`${who} threw: ${thrownText(thrown)}`)
    } finally {
      this.#executions.delete(execution)
    }
  }
}
