/**
 * Sessions of the dashboard that were ended before their time. With a file they stay ended over a restart. Of each token there
 * is room for so many; beyond that its oldest are forgotten together with every session of that token that lapses no later, so that none
 * of them is ever let in again, and nobody ends those of another token.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { writeWhole } from '../storage/writeWhole.js'
import { httpLimits } from './limits.js'

/** In place of a session: all of a token that lapse by then are over. */
const all = '*'

/** The local token, whose holder owns the store. */
const ofOwner = 'local'

const lineOf = (session: string, lapsesMs: number, token: string): string => `${session} ${lapsesMs} ${token}\n`

export class EndedSessions {
  readonly #file: string | undefined
  /** By token, and by session. */
  readonly #ended = new Map<string, Map<string, number>>()

  constructor(file: string | undefined, nowMs: number) {
    this.#file = file
    if (file === undefined || !existsSync(file)) return
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [session = '', lapses, token = ofOwner] = line.split(' ')
      const lapsesMs = Number(lapses)
      if (session !== '' && lapsesMs > nowMs) this.#of(token).set(session, lapsesMs)
    }
    this.#rewrite()
  }

  has(session: string, lapsesMs: number, token: string = ofOwner): boolean {
    const ofToken = this.#ended.get(token)
    return ofToken !== undefined && (ofToken.has(session) || lapsesMs <= (ofToken.get(all) ?? 0))
  }

  /** Where there is a file, it is on the disk when this returns. */
  add(session: string, lapsesMs: number, nowMs: number, token: string = ofOwner): void {
    const ofToken = this.#of(token)
    ofToken.set(session, lapsesMs)
    const most = token === ofOwner ? httpLimits.sessionsEnded : httpLimits.sessionsEndedPerToken
    if (ofToken.size <= most) this.#append(lineOf(session, lapsesMs, token))
    else this.#makeRoom(ofToken, nowMs)
  }

  #of(token: string): Map<string, number> {
    const known = this.#ended.get(token)
    if (known !== undefined) return known
    const ofToken = new Map<string, number>()
    this.#ended.set(token, ofToken)
    return ofToken
  }

  /** Forgets what has lapsed, and of the rest of a token the half that lapses first. */
  #makeRoom(ofToken: Map<string, number>, nowMs: number): void {
    for (const [token, each] of this.#ended) {
      for (const [session, lapsesMs] of each) if (lapsesMs <= nowMs) each.delete(session)
      if (each.size === 0) this.#ended.delete(token)
    }
    const inOrder = [...ofToken].filter(([session]) => session !== all).sort(([, a], [, b]) => a - b)
    for (const [session, lapsesMs] of inOrder.slice(0, Math.floor(inOrder.length / 2))) {
      ofToken.delete(session)
      ofToken.set(all, Math.max(lapsesMs, ofToken.get(all) ?? 0))
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
    const lines = [...this.#ended].flatMap(([token, ofToken]) =>
      [...ofToken].map(([session, lapsesMs]) => lineOf(session, lapsesMs, token)),
    )
    const text = lines.join('')
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
