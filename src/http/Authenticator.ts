/**
 * Who is let in. A request brings a token in its Authorization header, or a session in a cookie; a session begins with
 * a one-time code from a link, or with a token. Secrets are compared by hash and never leave here.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { findToken } from '../storage/queries/readTokens.js'
import { sha256 } from '../encoding/hash.js'
import { CarillonError } from '../errors/CarillonError.js'
import { httpLimits } from './limits.js'
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

type SessionText = { readonly token: string; readonly untilMs: number; readonly session: string }

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
  readonly #nowMs: () => number
  /** Codes of links that were not used yet, by hash, and when each lapses. */
  readonly #codes = new Map<string, number>()
  /** Sessions that were ended before their time, and when each would have lapsed. A restart forgets them. */
  readonly #ended = new Map<string, number>()

  /** Expiry is judged by the machine's clock: a node in virtual time still has real visitors. */
  constructor(views: Views, localToken: string, nowMs: () => number = Date.now) {
    this.#views = views
    this.#localToken = localToken
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

  /** Begins a session with a code, which is spent by that, or with a token. The text is for the cookie. */
  async openSession(secret: string): Promise<{ readonly cookie: string; readonly expiresAtMs: number }> {
    const untilMs = this.#nowMs() + httpLimits.sessionMs
    if (idInToken(secret) === undefined && !sameText(secret, this.#localToken)) {
      const hash = sha256(secret)
      const lapsesMs = this.#codes.get(hash)
      this.#codes.delete(hash)
      if (lapsesMs === undefined || lapsesMs <= this.#nowMs())
        throw refuse('The link was used before, or is too old: it works once.')
      return { cookie: this.#sign({ token: 'local', untilMs, session: newSessionId() }), expiresAtMs: untilMs }
    }
    const { expiresAtMs } = await this.byToken(secret)
    const endMs = Math.min(untilMs, expiresAtMs ?? untilMs)
    const token = sameText(secret, this.#localToken) ? 'local' : (idInToken(secret) ?? 'local')
    return { cookie: this.#sign({ token, untilMs: endMs, session: newSessionId() }), expiresAtMs: endMs }
  }

  /** The holder of a session. The token behind it is looked up again each time, so that revoking it ends the session. */
  async bySession(cookie: string): Promise<Credential> {
    const [token, until, session, signature] = cookie.split('.')
    const untilMs = Number(until)
    if (session === undefined || token === undefined || signature === undefined)
      throw refuse('The session is not known here.')
    if (!sameText(cookie, this.#sign({ token, untilMs, session }))) throw refuse('The session is not known here.')
    if (untilMs <= this.#nowMs() || this.#ended.has(session)) throw refuse('The session is over.')
    if (token === 'local') return { name: 'local', permissions: ['admin'], expiresAtMs: untilMs, session }
    const stored = await this.#views.readViews((db) => findToken(db, token))
    if (stored === undefined || stored.revokedAt !== undefined) throw refuse('The token of this session was revoked.')
    return { name: stored.name, permissions: stored.permissions, expiresAtMs: untilMs, token: stored.id, session }
  }

  /** From now on nobody is let in by this session, whoever else may have its cookie. */
  endSession({ session, expiresAtMs }: Credential): void {
    if (session === undefined || expiresAtMs === undefined) return
    makeRoom(this.#ended, httpLimits.sessionsEnded, this.#nowMs())
    this.#ended.set(session, expiresAtMs)
  }

  /** Signed with the local token, so a session outlives a restart of the node but not a change of that file. */
  #sign({ token, untilMs, session }: SessionText): string {
    const text = `${token}.${untilMs}.${session}`
    return `${text}.${createHmac('sha256', `session ${this.#localToken}`).update(text).digest('base64url')}`
  }
}
