/**
 * What the measuring process orders of the process that runs a system, and what it hears back. Instants are
 * milliseconds since 1970 with their fraction, by the clock both processes share.
 */
export type Jobs = {
  readonly first: number
  readonly count: number
  /** A whole number. */
  readonly dueMs: number
  /** Milliseconds from one job's due instant to the next one's. */
  readonly apartMs?: number
  readonly everyMs?: number
  readonly beats?: number
}

export type Orders = {
  /** Loads the system's code and says what it is; nothing is connected yet. */
  readonly load: (order: { readonly system: string }) => {
    readonly versions: Readonly<Record<string, string>>
    readonly settings: readonly string[]
    readonly node: string
  }
  /** Connects, and with `work` begins to run jobs. `killAfter` ends the process hard inside that run. */
  readonly open: (order: {
    readonly address: string
    readonly work: boolean
    /** A file to which every run is appended, so that it survives the process. */
    readonly notesFile?: string
    readonly killAfter?: number
  }) => { readonly askedMs: number; readonly openedMs: number }
  /** Schedules jobs one by one or in bulk, and stops when the time is up. */
  readonly schedule: (order: { readonly jobs: Jobs; readonly bulk: boolean; readonly limitMs: number }) => {
    readonly scheduled: number
    readonly tookMs: number
  }
  /**
   * Runs flows of so many steps, so many at once, with a pause after each; as many as begin in time. How long each took, and
   * all of them.
   */
  readonly flows: (order: {
    readonly steps: number
    readonly count: number
    readonly inFlight: number
    readonly pauseMs: number
    readonly limitMs: number
  }) => { readonly tookMs: readonly number[]; readonly allMs: number }
  /** Waits until so many runs have begun, or the time is up. */
  readonly awaitRuns: (order: { readonly count: number; readonly limitMs: number }) => { readonly runs: number }
  /** Waits until the system itself says that no job is unfinished; the instant at which it was asked that time. */
  readonly awaitFinished: (order: { readonly limitMs: number }) => {
    readonly atMs: number
    readonly unfinished: number
  }
  readonly unfinished: (order: Record<string, never>) => number
  /** When each run began, and how late. */
  readonly runs: (order: Record<string, never>) => {
    readonly atMs: readonly number[]
    readonly latenessMs: readonly number[]
  }
}

export type OrderName = keyof Orders
export type OrderOf<Name extends OrderName> = Parameters<Orders[Name]>[0]
export type AnswerTo<Name extends OrderName> = ReturnType<Orders[Name]>

export const nowMs = (): number => performance.timeOrigin + performance.now()
