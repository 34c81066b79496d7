/**
 * Who is let in. A request brings a token in its Authorization header, or a session of the dashboard in a header of its own;
 * a session begins with a one-time code from a link, or with a token. It is valid at the origin where it began, and no
 * longer than its token. Secrets are compared by hash and never leave here.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { findToken } from '../storage/queries/readTokens.js'
import { sha256 } from '../encoding/hash.js'
import { CarillonError } from '../errors/CarillonError.js'
import { EndedSessions } from './EndedSessions.js'
import { httpLimits } from './limits.js'
import type { LocalToken } from './localToken.js'
import { toMillis } from '../time/Instant.js'
import type { Database } from '../storage/Database.js'
import type { Principal } from './Principal.js'
import { idInToken, sameText } from './TokenText.js'

/** Where the tokens are known: a node, or a process that follows one. */
type Views = { readonly readViews: <A>(read: (db: Database) => A) => Promise<A> }

type Credential = Omit<Principal, 'from'>

const refuse = (why: string): CarillonError =>
  new CarillonError(
    'token-refused',
    `${why} Send "Authorization: Bearer <token>"; make one with "carillon token new", or open a link from "carillon token link".`,
  )

type SessionText = {
  readonly token: string
  readonly untilMs: number
  readonly session: string
  /** Scheme, host and port of the page that began it, as its requests name them. */
  readonly origin: string
}

/** A session that has begun: what the page sends with each request, and when it lapses. */
export type OpenedSession = { readonly text: string; readonly expiresAtMs: number }

const newSessionId = (): string => randomBytes(9).toString('base64url')

/** Forgets what has lapsed, and then the oldest, until one more has its place. */
const makeRoom = (lapsing: Map<string, number>, most: number, nowMs: number): void => {
  for (const [key, lapsesMs] of lapsing) if (lapsesMs <= nowMs) lapsing.delete(key)
  for (const oldest of lapsing.keys()) {
    if (lapsing.size < most) break
    lapsing.delete(oldest)
  }
}

export class Authenticator {
  readonly #views: Views
  readonly #localToken: string
  /** What sessions are signed with. */
  readonly #sessionKey: string
  readonly #nowMs: () => number
  /** Codes of links that were not used yet, by hash, and when each lapses. */
  readonly #codes = new Map<string, number>()
  readonly #ended: EndedSessions

  /**
   * Expiry is judged by the machine's clock: a node in virtual time still has real visitors. Sessions outlive a restart
   * where a file remembers which of them were ended, and nowhere else.
   */
  constructor(views: Views, local: string | LocalToken, nowMs: () => number = Date.now) {
    this.#views = views
    const { text, endedFile } = typeof local === 'string' ? { text: local, endedFile: undefined } : local
    this.#localToken = text
    this.#sessionKey = endedFile === undefined ? randomBytes(32).toString('base64url') : `session ${text}`
    this.#ended = new EndedSessions(endedFile, nowMs())
    this.#nowMs = nowMs
  }

  /** A code that opens one session with all permissions, soon. */
  newCode(): string {
    const nowMs = this.#nowMs()
    makeRoom(this.#codes, httpLimits.linksUnused, nowMs)
    const code = randomBytes(24).toString('base64url')
    this.#codes.set(sha256(code), nowMs + httpLimits.linkMs)
    return code
  }

  async byToken(text: string): Promise<Credential> {
    if (sameText(text, this.#localToken)) return { name: 'local', permissions: ['admin'] }
    const id = idInToken(text)
    const token = id === undefined ? undefined : await this.#views.readViews((db) => findToken(db, id))
    if (token === undefined || !sameText(sha256(text), token.hash)) throw refuse('The token is not known here.')
    if (token.revokedAt !== undefined) throw refuse(`The token "${token.name}" was revoked.`)
    const expiresAtMs = token.expiresAt === undefined ? undefined : toMillis(token.expiresAt)
    if (expiresAtMs !== undefined && expiresAtMs <= this.#nowMs())
      throw refuse(`The token "${token.name}" has expired.`)
    const { name, permissions } = token
    return { name, permissions, token: token.id, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) }
  }

  /** Begins a session at an origin, with a code, which is spent by that, or with a token. */
  async openSession(secret: string, origin: string): Promise<OpenedSession> {
    const token = await this.#tokenOf(secret)
    const untilMs = this.#nowMs() + httpLimits.sessionMs
    const expiresAtMs = Math.min(untilMs, token.expiresAtMs ?? untilMs)
    const session = { token: token.id, untilMs: expiresAtMs, session: newSessionId(), origin }
    return { text: this.#sign(session), expiresAtMs }
  }

  /** What a session begins with, and ends with: an issued token, or the local one, whose holder makes the codes. */
  async #tokenOf(secret: string): Promise<{ readonly id: string; readonly expiresAtMs?: number }> {
    if (idInToken(secret) !== undefined || sameText(secret, this.#localToken)) {
      const { token: id = 'local', expiresAtMs } = await this.byToken(secret)
      return { id, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) }
    }
    const hash = sha256(secret)
    const lapsesMs = this.#codes.get(hash)
    this.#codes.delete(hash)
    if (lapsesMs === undefined || lapsesMs <= this.#nowMs())
      throw refuse('The link was used before, or is too old: it works once.')
    return { id: 'local' }
  }

  /** The holder of a session that began at one of these origins. The token behind it is looked up again each time, so that revoking it ends the session. */
  async bySession(text: string, ...origins: readonly string[]): Promise<Credential> {
    const [token, until, session, signature] = text.split('.')
    const untilMs = Number(until)
    if (session === undefined || token === undefined || signature === undefined)
      throw refuse('The session is not known here.')
    if (!origins.some((origin) => sameText(text, this.#sign({ token, untilMs, session, origin }))))
      throw refuse('The session is not known here.')
    if (untilMs <= this.#nowMs() || this.#ended.has(session, untilMs, token)) throw refuse('The session is over.')
    if (token === 'local') return { name: 'local', permissions: ['admin'], expiresAtMs: untilMs, session }
    const stored = await this.#views.readViews((db) => findToken(db, token))
    if (stored === undefined || stored.revokedAt !== undefined) throw refuse('The token of this session was revoked.')
    return { name: stored.name, permissions: stored.permissions, expiresAtMs: untilMs, token: stored.id, session }
  }

  /** From now on nobody is let in by this session, whoever else may know it. */
  endSession({ session, expiresAtMs, token }: Credential): void {
    if (session !== undefined && expiresAtMs !== undefined) this.#ended.add(session, expiresAtMs, this.#nowMs(), token)
  }

  #sign({ token, untilMs, session, origin }: SessionText): string {
    const text = `${token}.${untilMs}.${session}`
    return `${text}.${createHmac('sha256', this.#sessionKey).update(`${text}.${origin}`).digest('base64url')}`
  }
}
