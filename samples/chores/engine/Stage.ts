/**
 * Where conductors and tasks are really executed: the one part of the framework that lives in memory. It holds what
 * cannot be put on a ledger (closures, callbacks under way), so nothing here is worth keeping: what a new process
 * lacks, the run it belongs to does without, by starting again from the beginning.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChoreDefinition, ConductorContext, TaskAction, TaskFunction } from './ChoreDefinition.js'
import type { ConductTurn, TaskTurn } from './turns.js'

/** A callback that is being executed, by the state it was started from. */
type Execution = {
  readonly choreId: string
  /** Lets go of the callback: its step ends, and whatever it returns later reaches nobody. */
  readonly abandon: () => void
  stopRequested: boolean
}

type PendingTask = { readonly taskId: string; readonly run: TaskFunction }
/** A tick of a conductor. It travels with the callback, so one that outlives its run cannot speak for the next. */
type Conducting = { readonly context: ConductorContext; pending: PendingTask | undefined }

/** A task by the tick that started it; another run's or another life's task never has the same. */
export type TaskKey = { readonly choreId: string; readonly run: number; readonly serial: number; readonly life: number }

const textOf = ({ run, serial, life }: TaskKey): string => `${life}.${run}.${serial}`

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

const gone = { kind: 'gone' } as const

export class Stage {
  readonly definitions = new Map<string, ChoreDefinition>()
  readonly #executions = new Map<string, Execution>()
  readonly #conducting = new AsyncLocalStorage<Conducting>()
  readonly #tasks = new Map<string, { readonly key: string; readonly run: TaskFunction }>()
  /** Whether a state is still unconsumed; until someone can tell, it is. */
  isCurrent: (ref: string) => boolean = () => true

  /** Called by a conductor before it returns: the task starts once it has. A second call replaces the first. */
  setPendingTask(choreId: string, taskId: string, run: TaskFunction): void {
    const conducting = this.#conducting.getStore()
    if (conducting?.context.choreId !== choreId)
      throw new Error(`Chore ${choreId} is not being conducted: call setPendingTask from its conductor.`)
    if (conducting.context.isTaskRunning)
      throw new Error(`A task of chore ${choreId} is still running: start ${taskId} when isTaskRunning is false.`)
    conducting.pending = { taskId, run }
  }

  /** One tick of a conductor. Never throws: whatever goes wrong is the run's failure. */
  async conduct(ref: string, choreType: string, context: ConductorContext, key: TaskKey): Promise<ConductTurn> {
    const definition = this.definitions.get(choreType)
    if (definition === undefined)
      return { kind: 'Error', text: `No chore ${choreType} is registered; its conductor is not there to be called.` }
    const conducting: Conducting = { context, pending: undefined }
    const turn = await this.#execute(ref, context.choreId, async (): Promise<ConductTurn> => {
      try {
        const action = await this.#conducting.run(conducting, () => definition.conduct(context))
        if (action.kind !== 'ContinueIn') return action
        if (!Number.isSafeInteger(action.seconds) || action.seconds < 0)
          return { kind: 'Error', text: `The conductor asked to continue in ${action.seconds} seconds.` }
        return { ...action, task: conducting.pending?.taskId ?? null }
      } catch (thrown) {
        return { kind: 'Error', text: `Conductor threw: ${messageOf(thrown)}` }
      }
    })
    if (turn.kind === 'ContinueIn' && conducting.pending !== undefined)
      this.#tasks.set(context.choreId, { key: textOf(key), run: conducting.pending.run })
    return turn
  }

  /** One chunk of a task. Never throws. */
  async runTask(ref: string, key: TaskKey): Promise<TaskTurn> {
    const task = this.#tasks.get(key.choreId)
    if (task?.key !== textOf(key)) return gone
    const turn = await this.#execute(ref, key.choreId, async (): Promise<TaskAction> => {
      try {
        return await task.run()
      } catch (thrown) {
        return { kind: 'Error', text: `Task threw: ${messageOf(thrown)}` }
      }
    })
    if (turn.kind !== 'Continue' && this.#tasks.get(key.choreId) === task) this.#tasks.delete(key.choreId)
    return turn
  }

  isExecuting(ref: string): boolean {
    return this.#executions.has(ref)
  }

  /** Whether a stop was asked for while something executed that still does. */
  isStopRequested(choreId: string): boolean {
    for (const execution of this.#executions.values())
      if (execution.choreId === choreId && execution.stopRequested) return true
    return false
  }

  /** The state a callback was started from has been consumed: nobody waits for it any more. */
  abandon(ref: string): void {
    this.#executions.get(ref)?.abandon()
  }

  requestStop(choreId: string, stopRequested: boolean): void {
    for (const execution of this.#executions.values())
      if (execution.choreId === choreId) execution.stopRequested = stopRequested
  }

  async #execute<T>(ref: string, choreId: string, callback: () => Promise<T>): Promise<T | typeof gone> {
    // Whoever follows the log is told of a commit just after its steps are released; then it knows what is current.
    await Promise.resolve()
    if (!this.isCurrent(ref)) return gone
    return new Promise((resolve) => {
      const execution: Execution = {
        choreId,
        stopRequested: false,
        abandon: () => {
          resolve(gone)
        },
      }
      this.#executions.set(ref, execution)
      void callback()
        .then(resolve)
        .finally(() => {
          if (this.#executions.get(ref) === execution) this.#executions.delete(ref)
        })
    })
  }
}
