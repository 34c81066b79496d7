/**
 * A small model of the engine: one chore, plain numbers, no ledger. Its conductor starts one task, polls it every seven
 * seconds, and ends the run as the task ended. Tasks, and conductors when asked to, hang until they are let go.
 */
import { bookFrom } from '../engine/Control.js'
import type { ChoreStatus } from '../engine/index.js'
import { instantFromMillis, type Instant } from 'carillon'

export const pollSeconds = 7
export const taskId = 'work'

type Outcome = { readonly succeeded: boolean; readonly error: string | null }
type ModelTask = { readonly startedAt: number; outcome: Outcome | null }
type ModelRun = {
  startedAt: number
  invocations: number
  nextTick: number
  /** Set while the conductor hangs: what it was told. */
  hangs: { readonly isTaskRunning: boolean; readonly last: Outcome | null } | null
  task: ModelTask | null
  last: Outcome | null
}

const at = (seconds: number): Instant => instantFromMillis(seconds * 1000)

export class ChoreModel {
  now: number
  enabled = false
  paused = false
  interval = 60
  timeout = 20
  timer: 'set' | 'stopped' | 'cancelled' = 'set'
  next: number | null = null
  run: ModelRun | null = null
  conductorHangs = false
  /** Callbacks that nobody waits for any more but that have not returned. */
  lingering = 0
  stopRequested = false
  lastTask: Outcome | null = null
  /** Ticks of the run that ended last. */
  lastTicks = 0
  successes = 0
  failures = 0
  lastError: string | null = null
  lastErrorAt: number | null = null
  lastCompletedRunAt: number | null = null

  constructor(now: number) {
    this.now = now
  }

  get isArmed(): boolean {
    return this.enabled && !this.paused && this.timer === 'set' && this.next !== null
  }

  // --- time

  advance(seconds: number): void {
    const until = this.now + seconds
    for (let next = this.#nextMoment(); next <= until; next = this.#nextMoment()) {
      this.now = Math.max(this.now, next)
      this.settle()
    }
    this.now = until
  }

  /** Whatever is due at this moment, until nothing is. */
  settle(): void {
    while (this.#nextMoment() <= this.now) {
      // A run that is active when the scheduler fires is still active: its tick ends in a later turn of the node.
      if (this.isArmed && this.next !== null && this.next <= this.now) {
        this.next = this.now + this.interval
        if (this.run === null) this.begin()
      }
      if (this.run?.hangs === null && this.run.nextTick <= this.now) this.#tick(this.run)
    }
  }

  /** The process dies; another one starts later and resumes timers. */
  crash(downSeconds: number): void {
    this.now += downSeconds
    this.lingering = 0
    this.stopRequested = false
    if (this.run !== null)
      this.run = { startedAt: this.now, invocations: 0, nextTick: this.now, hangs: null, task: null, last: null }
    this.resumeTimers()
    this.settle()
  }

  // --- controls

  begin(): void {
    if (this.run !== null) return
    this.stopRequested = false
    this.lastTask = null
    this.run = { startedAt: this.now, invocations: 0, nextTick: this.now, hangs: null, task: null, last: null }
  }

  endRun(): void {
    if (this.run === null) return
    this.#linger(this.run)
    this.lastTask = this.run.task?.outcome ?? this.run.last
    this.lastTicks = this.run.invocations
    this.run = null
    this.stopRequested = this.lingering > 0
  }

  enable(): void {
    Object.assign(this, { enabled: true, paused: false, timer: 'set', next: this.next ?? this.#booked() })
  }

  disable(): void {
    Object.assign(this, { enabled: false, paused: false, timer: 'set', next: null })
  }

  trigger(): void {
    if (this.run !== null) return
    if (this.timer === 'stopped') this.timer = 'set'
    this.begin()
  }

  start(): void {
    Object.assign(this, { enabled: true, paused: false, timer: 'set', next: this.#booked() })
    this.begin()
  }

  schedule(next: number): void {
    Object.assign(this, { enabled: true, paused: false, timer: 'set', next })
  }

  pause(): void {
    if (!this.enabled) return
    this.paused = true
    this.endRun()
  }

  resume(): void {
    if (!this.enabled || !this.paused) return
    Object.assign(this, { paused: false, timer: 'set' })
    if (this.next !== null && this.next > this.now) return
    const overdue = this.next !== null
    this.next = this.#booked()
    if (overdue) this.begin()
  }

  stop(): void {
    this.disable()
    this.endRun()
  }

  stopChore(): void {
    if (this.enabled) this.timer = 'stopped'
    this.endRun()
  }

  cancelTimers(): void {
    if (this.enabled && this.timer === 'set') this.timer = 'cancelled'
    this.endRun()
  }

  resumeTimers(): void {
    if (this.timer === 'cancelled') this.timer = 'set'
  }

  // --- callbacks

  get isTaskActive(): boolean {
    return this.run?.task?.outcome === null
  }

  get isConductorHanging(): boolean {
    return this.run !== null && this.run.hangs !== null
  }

  endTask(outcome: Outcome): void {
    const task = this.run?.task ?? null
    if (task !== null) task.outcome ??= outcome
  }

  letConductorGo(): void {
    const { run } = this
    const told = run?.hangs ?? null
    if (run === null || told === null) return
    run.hangs = null
    this.#act(run, told)
  }

  letLingeringGo(): void {
    this.lingering = 0
    this.stopRequested = false
  }

  // --- what an administrator should see

  status(): Partial<ChoreStatus> {
    const { run } = this
    const last = run === null ? this.lastTask : (run.task?.outcome ?? run.last)
    const active = run?.task?.outcome === null ? run.task : null
    return {
      enabled: this.enabled,
      lifecycle: this.enabled ? (this.paused ? 'Paused' : 'Running') : 'Stopped',
      intervalSeconds: this.interval,
      taskTimeoutSeconds: this.timeout,
      schedulerStatus: this.isArmed ? 'Scheduled' : 'Idle',
      nextScheduledRunAt: this.next === null ? null : at(this.next),
      conductorStatus: run === null ? 'Idle' : run.hangs === null ? 'Polling' : 'Running',
      conductorStartedAt: run === null ? null : at(run.startedAt),
      conductorInvocationCount: run?.invocations ?? this.lastTicks,
      taskStatus: active === null ? 'Idle' : 'Running',
      currentTaskId: active === null ? null : taskId,
      taskStartedAt: active === null ? null : at(active.startedAt),
      lastCompletedTaskId: last === null ? null : taskId,
      lastTaskSucceeded: last?.succeeded ?? null,
      lastTaskError: last?.error ?? null,
      stopRequested: this.stopRequested,
      totalRunCount: this.successes + this.failures,
      totalSuccessCount: this.successes,
      totalFailureCount: this.failures,
      lastError: this.lastError,
      lastErrorAt: this.lastErrorAt === null ? null : at(this.lastErrorAt),
      lastCompletedRunAt: this.lastCompletedRunAt === null ? null : at(this.lastCompletedRunAt),
    }
  }

  // --- parts

  #booked(): number {
    const interval = { intervalSeconds: this.interval, maxIntervalSeconds: null }
    return Date.parse(bookFrom(at(this.now), interval, null) ?? '') / 1000
  }

  #nextMoment(): number {
    const fire = this.isArmed ? (this.next ?? Infinity) : Infinity
    const tick = this.run?.hangs === null ? this.run.nextTick : Infinity
    return Math.min(fire, tick)
  }

  #tick(run: ModelRun): void {
    if (run.task?.outcome === null && this.now - run.task.startedAt >= this.timeout) {
      run.task.outcome = { succeeded: false, error: 'Task timed out' }
      this.lingering += 1
    }
    const told = { isTaskRunning: run.task?.outcome === null, last: run.task?.outcome ?? run.last }
    if (this.conductorHangs) run.hangs = told
    else this.#act(run, told)
  }

  #act(run: ModelRun, { isTaskRunning, last }: NonNullable<ModelRun['hangs']>): void {
    if (last !== null) {
      this.lastTask = last
      this.lastTicks = run.invocations + 1
      this.run = null
      if (last.succeeded) {
        this.successes += 1
        this.lastCompletedRunAt = this.now
      } else {
        this.failures += 1
        this.lastError = last.error
        this.lastErrorAt = this.now
      }
      return
    }
    run.invocations += 1
    run.nextTick = this.now + pollSeconds
    if (!isTaskRunning) run.task = { startedAt: this.now, outcome: null }
  }

  #linger(run: ModelRun): void {
    if (run.hangs !== null) this.lingering += 1
    if (run.task?.outcome === null) this.lingering += 1
  }
}
