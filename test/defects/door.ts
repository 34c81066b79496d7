/** Who is let in with tokens and sessions that lapse, whatever has become of the node since they were made. */
import * as t from 'io-ts'
import { toMillis, type Instant, type Node } from 'carillon'
import type { SimulationOptions, Turn, World } from 'carillon/testing'
import { assertInvariant } from '../../src/errors/CarillonError.js'
import { sha256 } from '../../src/encoding/hash.js'
import { Authenticator } from '../../src/http/Authenticator.js'
import { operatorLimits } from '../../src/operator/limits.js'
import { PermissionC } from '../../src/operator/Permission.js'
import { TokenIdC, TokenNameC } from '../../src/operator/Token.js'
import { instantFromMillis } from '../../src/time/Instant.js'

const origin = 'https://workshop.example'

/** The secret of a token, which whoever knows the id can work out: nothing is kept between two turns. */
const secretOf = (id: string): string =>
  `crl_${id}_${Buffer.from(sha256(`door ${id}`), 'hex')
    .toString('base64url')
    .slice(0, 43)}`

const isLetIn = async (ask: () => Promise<unknown>): Promise<boolean> =>
  ask().then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'token-refused') return false
      throw error
    },
  )

const expect = (what: string, is: boolean, should: boolean): void => {
  if (is !== should) throw new Error(`${what} is ${is ? 'let in' : 'refused'}.`)
}

/** A token is good until it expires or is revoked, and a session no longer than the token that it began with. */
const tryAt = async (node: Node, id: string, atMs: number, isGood: boolean): Promise<void> => {
  const authenticator = new Authenticator(node, 'local', () => atMs)
  expect(`Token ${id} at ${instantFromMillis(atMs)}`, await isLetIn(() => authenticator.byToken(secretOf(id))), isGood)
  expect(
    `A session that begins with token ${id} at ${instantFromMillis(atMs)}`,
    await isLetIn(() => authenticator.openSession(secretOf(id), origin)),
    isGood,
  )
}

const tryOutliving = async (node: Node, id: string, nowMs: number, untilMs: number): Promise<void> => {
  let atMs = nowMs
  const authenticator = new Authenticator(node, 'local', () => atMs)
  const { text } = await authenticator.openSession(secretOf(id), origin)
  const isIn = (): Promise<boolean> => isLetIn(() => authenticator.bySession(text, origin))
  expect(`A session of token ${id} at once`, await isIn(), true)
  atMs = untilMs - 1
  expect(`A session of token ${id} before that expires`, await isIn(), true)
  atMs = untilMs
  expect(`A session of token ${id} that has expired`, await isIn(), false)
}

const issue = async (turn: Turn): Promise<void> => {
  const { chance, now, ask } = turn
  const nowMs = toMillis(now)
  const token = sha256(`token ${now} ${chance.below(1_000_000)}`).slice(0, 12)
  const name = 'visitor'
  // As many as a token may have, or one; or one more, which is refused.
  const { permissionsPerToken: most } = operatorLimits
  const count = chance.pick([1, 1, most, most + 1])
  const permissions = ['view', ...Array.from({ length: count - 1 }, (_, place) => `start:room-${place}`)]
  assertInvariant(
    TokenIdC.is(token) && TokenNameC.is(name) && t.array(PermissionC).is(permissions),
    'what a token is made of has its form',
  )
  const expiresAt = chance.oneIn(3) ? undefined : instantFromMillis(nowMs + chance.pick([100_000, 200_000, 7_200_000]))
  const hash = sha256(secretOf(token))
  await ask('issues a token', async (node) => {
    const isIssued = await node
      .issueToken({ token, name, hash, permissions, ...(expiresAt === undefined ? {} : { expiresAt }) })
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && 'code' in error && error.code === 'request-invalid') return false
          throw error
        },
      )
    if (isIssued !== count <= most)
      throw new Error(`A token with ${count} permissions is ${isIssued ? 'issued' : 'refused'}.`)
  })
}

/** Issues a token, revokes one, or lets everyone try the door. */
export const answerTheDoor = async (turn: Turn): Promise<void> => {
  const { chance, now, ask } = turn
  if (chance.oneIn(2)) await issue(turn)
  await ask('lets everyone try the door', async (node) => {
    const tokens = await node.tokens()
    for (const { id, revokedAt, expiresAt } of tokens.slice(-5)) {
      const nowMs = toMillis(now)
      const endsMs = expiresAt === undefined ? undefined : toMillis(expiresAt)
      const isGood = revokedAt === undefined && (endsMs === undefined || endsMs > nowMs)
      await tryAt(node, id, nowMs, isGood)
      // A session lasts eight hours by itself; a token that lapses before ends it.
      if (isGood && endsMs !== undefined) await tryOutliving(node, id, nowMs, endsMs)
    }
    const [first] = tokens.filter(({ revokedAt }) => revokedAt === undefined)
    if (first === undefined || !chance.oneIn(3)) return
    await node.revokeToken(first.id)
    await tryAt(node, first.id, toMillis(now), false)
  })
}

const tokensIn = ({ parties }: World): readonly { readonly expiresAt?: Instant }[] =>
  parties.flatMap(({ log }) => log.flatMap(({ event }) => (event.type === 'TokenIssued' ? [event] : [])))

export const doorCounts: NonNullable<SimulationOptions['counts']> = {
  'tokens that expired': (world) =>
    tokensIn(world).filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= world.mendedAt).length,
  'tokens revoked': ({ parties }) =>
    parties.reduce((sum, { log }) => sum + log.filter(({ event }) => event.type === 'TokenRevoked').length, 0),
}
