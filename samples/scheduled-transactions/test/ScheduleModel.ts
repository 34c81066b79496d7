/**
 * What must happen to schedules, said again in a few lines and without a ledger: who has signed, which trees stand
 * today, and when somebody looks. The property test holds the network to it.
 */
export type Tree = string | { readonly need: number; readonly of: readonly Tree[] }

const holds = (tree: Tree, signed: ReadonlySet<string>): boolean =>
  typeof tree === 'string' ? signed.has(tree) : tree.of.filter((one) => holds(one, signed)).length >= tree.need

const leavesOf = (tree: Tree): readonly string[] => (typeof tree === 'string' ? [tree] : tree.of.flatMap(leavesOf))

export type Policy = 'merge' | 'reject'
type Ended = 'executed' | 'deleted' | 'expired'
type Modelled = {
  readonly body: number
  readonly identity: string
  readonly waits: boolean
  readonly expiry: number
  readonly signers: Set<string>
  end: Ended | undefined
}

export class ScheduleModel {
  readonly schedules: Modelled[] = []
  tree: Tree
  /** Who receives, if he wants to be asked. */
  receiver: string | undefined
  readonly #spent = new Map<string, Set<string>>()
  readonly #executed = new Set<string>()
  /** The last second in which there was a schedule with an identity. */
  readonly #ended = new Map<string, number>()

  constructor(
    readonly policy: Policy,
    readonly payer: string,
    tree: Tree,
    readonly lifetime: number,
  ) {
    this.tree = tree
  }

  /** Gives the number of the schedule that was created or joined; undefined when the create is refused. */
  create(body: number, signs: readonly string[], now: number, waitUntil: number | undefined): number | undefined {
    const identity = this.policy === 'merge' ? `${body}` : `${body} ${waitUntil ?? 'soon'}`
    const meets = (one: Modelled): boolean =>
      one.identity === identity && now < one.expiry && (one.end === undefined || this.policy === 'reject')
    const there = this.schedules.findIndex(meets)
    if (there >= 0 && this.policy === 'reject') return undefined
    const expiry = waitUntil ?? now + this.lifetime
    const fresh: Modelled = {
      body,
      identity,
      waits: waitUntil !== undefined,
      expiry,
      signers: new Set(),
      end: undefined,
    }
    const schedule = this.schedules[there] ?? fresh
    // Whoever joins agrees with when it runs.
    if (schedule.waits !== fresh.waits || (fresh.waits && schedule.expiry !== expiry)) return undefined
    if (!this.#addSigners(schedule, signs, now)) return undefined
    if (there < 0) this.schedules.push(schedule)
    this.#look(schedule, now)
    return this.schedules.indexOf(schedule)
  }

  sign(number: number, signs: readonly string[], now: number): void {
    const schedule = this.schedules[number]
    if (schedule?.end !== undefined || schedule === undefined || now >= schedule.expiry) return
    if (this.#addSigners(schedule, signs, now)) this.#look(schedule, now)
  }

  delete(number: number, now: number): void {
    const schedule = this.schedules[number]
    if (schedule?.end === undefined && schedule !== undefined && now < schedule.expiry)
      this.#end(schedule, 'deleted', now)
  }

  /** Time has come to `now`. */
  expire(now: number): void {
    for (const schedule of this.schedules) {
      if (schedule.end !== undefined || now < schedule.expiry) continue
      this.#end(schedule, schedule.waits && this.#isReady(schedule) ? 'executed' : 'expired', now)
    }
  }

  executed(body: number): number {
    return this.schedules.filter((one) => one.body === body && one.end === 'executed').length
  }

  #addSigners(schedule: Modelled, signs: readonly string[], now: number): boolean {
    const needed = new Set([
      this.payer,
      ...leavesOf(this.tree),
      ...(this.receiver === undefined ? [] : [this.receiver]),
    ])
    const spent = this.#spent.get(schedule.identity) ?? new Set()
    const isOver = this.#executed.has(schedule.identity)
    const isStale = now <= (this.#ended.get(schedule.identity) ?? -1)
    if (this.policy === 'merge' && signs.some((one) => !needed.has(one) || isOver || isStale || spent.has(one)))
      return false
    // Under `reject` the payer of every transaction of this model is the payer of the schedules.
    for (const one of this.policy === 'reject' ? [...signs, this.payer] : signs)
      if (needed.has(one)) schedule.signers.add(one)
    return true
  }

  #isReady({ signers }: Modelled): boolean {
    const isAgreed = this.receiver === undefined || signers.has(this.receiver)
    return signers.has(this.payer) && isAgreed && holds(this.tree, signers)
  }

  #look(schedule: Modelled, now: number): void {
    if (!schedule.waits && this.#isReady(schedule)) this.#end(schedule, 'executed', now)
  }

  /** Signatures made until now complete no later one; once it was executed, nobody's do. */
  #end(schedule: Modelled, end: Ended, now: number): void {
    schedule.end = end
    this.#ended.set(
      schedule.identity,
      Math.max(this.#ended.get(schedule.identity) ?? -1, Math.min(now, schedule.expiry - 1)),
    )
    if (end === 'executed') this.#executed.add(schedule.identity)
    const spent = this.#spent.get(schedule.identity) ?? new Set()
    for (const one of schedule.signers) spent.add(one)
    this.#spent.set(schedule.identity, spent)
  }
}
