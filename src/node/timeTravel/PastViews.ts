/**
 * Views folded up to a revision, in a database of their own that is gone when it is closed. What a running node's views
 * have overwritten, such as how an activity stood, is had back this way.
 */
import { limits } from '../../limits.js'
import { EventDecoder } from '../../log/EventDecoder.js'
import { emptyHead, headAfter, type EncodedTick, type Head } from '../../log/Tick.js'
import { openDatabase } from '../../sqlite/openDatabase.js'
import { toMillis } from '../../time/Instant.js'
import type { Database } from '../../views/Database.js'
import { Views, viewsSchema } from '../../views/Views.js'
import { assertFollows } from '../logTools/LogFold.js'

/** SQLite keeps a database without a name in memory as long as it is small, and then in a file nobody else sees. */
const temporary = ''

/** How long folding may keep others waiting. */
const turnMs = 20

const letOthersWork = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class PastViews {
  readonly db: Database
  readonly #views: Views
  readonly #decoder = new EventDecoder()
  #revision = emptyHead.revision
  #atMs: number | undefined
  /** Where the last tick ended that was folded as a whole. */
  #head: Head = emptyHead

  constructor() {
    this.db = openDatabase(temporary)
    this.db.exec(viewsSchema)
    this.#views = new Views(this.db)
  }

  /** The last revision that was folded. */
  get revision(): number {
    return this.#revision
  }

  /** The instant of its tick; undefined before the first. */
  get atMs(): number | undefined {
    return this.#atMs
  }

  /** Folds ticks that follow, up to a revision. */
  async foldTo(
    ticks: AsyncIterable<EncodedTick>,
    revision: number,
    onProgress?: (events: number) => void,
  ): Promise<void> {
    if (revision <= this.#revision) return
    let bytes = 0
    let turnEndsMs = performance.now() + turnMs
    this.db.exec('BEGIN')
    for await (const tick of ticks) {
      if (tick.firstRevision > revision) break
      if (tick.firstRevision + tick.events.length - 1 <= this.#revision) continue
      assertFollows(this.#head, tick)
      this.#fold(tick, revision)
      onProgress?.(this.#revision + 1)
      bytes += tick.events.reduce((sum, { length }) => sum + length, 0)
      if (bytes >= limits.foldedBytesPerCommit) {
        this.#views.write()
        this.db.exec('COMMIT; BEGIN')
        this.#views.committedFold()
        bytes = 0
      }
      if (this.#revision >= revision) break
      if (performance.now() < turnEndsMs) continue
      await letOthersWork()
      turnEndsMs = performance.now() + turnMs
    }
    this.#views.write()
    this.db.exec('COMMIT')
    this.#views.committed()
  }

  close(): void {
    this.db.close()
  }

  /** Folds what is left of a tick, up to a revision that may lie within it. */
  #fold(tick: EncodedTick, revision: number): void {
    const last = headAfter(tick)
    const atMs = toMillis(tick.at)
    const until = Math.min(last.revision, revision)
    for (let place = this.#revision + 1; place <= until; place++)
      this.#views.fold(this.#decoder.decode(tick.events[place - tick.firstRevision] ?? '', place), place, atMs)
    this.#revision = until
    this.#atMs = atMs
    if (until === last.revision) {
      this.#views.facts.advanceTo(last, atMs)
      this.#head = last
    } else this.#stopWithin(until, atMs)
  }

  /** Stands within a tick, without counting it among those that are over. */
  #stopWithin(revision: number, atMs: number): void {
    const { facts } = this.#views
    const { range } = facts
    facts.advanceTo({ ...this.#head, revision }, atMs)
    facts.range = range
  }
}
