/**
 * Sessions of the dashboard that were ended before their time. With a file they stay ended over a restart. There is room
 * for so many; beyond that the oldest are forgotten together with every session that lapses no later, so that none of them
 * is ever let in again.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { writeWhole } from '../storage/writeWhole.js'
import { httpLimits } from './limits.js'

/** In place of a session: all that lapse by then are over. */
const all = '*'

const lineOf = (session: string, lapsesMs: number): string => `${session} ${lapsesMs}\n`

export class EndedSessions {
  readonly #file: string | undefined
  readonly #ended = new Map<string, number>()

  constructor(file: string | undefined, nowMs: number) {
    this.#file = file
    if (file === undefined || !existsSync(file)) return
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [session = '', lapses] = line.split(' ')
      const lapsesMs = Number(lapses)
      if (session !== '' && lapsesMs > nowMs) this.#ended.set(session, lapsesMs)
    }
    this.#rewrite()
  }

  has(session: string, lapsesMs: number): boolean {
    return this.#ended.has(session) || lapsesMs <= (this.#ended.get(all) ?? 0)
  }

  /** Where there is a file, it is on the disk when this returns. */
  add(session: string, lapsesMs: number, nowMs: number): void {
    this.#ended.set(session, lapsesMs)
    if (this.#ended.size <= httpLimits.sessionsEnded) this.#append(lineOf(session, lapsesMs))
    else this.#makeRoom(nowMs)
  }

  /** Forgets what has lapsed, and of the rest the half that lapses first. */
  #makeRoom(nowMs: number): void {
    for (const [session, lapsesMs] of this.#ended) if (lapsesMs <= nowMs) this.#ended.delete(session)
    const inOrder = [...this.#ended].filter(([session]) => session !== all).sort(([, a], [, b]) => a - b)
    for (const [session, lapsesMs] of inOrder.slice(0, Math.floor(inOrder.length / 2))) {
      this.#ended.delete(session)
      this.#ended.set(all, Math.max(lapsesMs, this.#ended.get(all) ?? 0))
    }
    this.#rewrite()
  }

  #append(line: string): void {
    this.#write((file) => {
      const handle = openSync(file, 'a', 0o600)
      try {
        writeSync(handle, line)
        fsyncSync(handle)
      } finally {
        closeSync(handle)
      }
    })
  }

  #rewrite(): void {
    const text = [...this.#ended].map(([session, lapsesMs]) => lineOf(session, lapsesMs)).join('')
    this.#write((file) => writeWhole(file, text, 0o600))
  }

  #write(write: (file: string) => void): void {
    if (this.#file === undefined) return
    try {
      write(this.#file)
    } catch (error) {
      throw new CarillonError(
        'store-not-writable',
        `${this.#file} cannot be written, so a session that was ended may be let in again after a restart: ${messageOf(error)}.`,
        { file: this.#file },
        error,
      )
    }
  }
}
