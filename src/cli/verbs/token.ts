/**
 * `carillon token`: tokens for the HTTP API, and links to the dashboard. A token is shown once; the store keeps its
 * hash.
 */
import { readFileSync } from 'node:fs'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { NewTokenC } from '../../operator/operateTokens.js'
import { PermissionC } from '../../operator/Permission.js'
import { TokenIdC, TokenNameC, type Token } from '../../operator/Token.js'
import { assertInvariant, CarillonError } from '../../errors/CarillonError.js'
import { LinkC, MeC, TokenC } from '../../http/answers.js'
import { newTokenText } from '../../http/TokenText.js'
import { instantFromMillis, toMillis, type Instant } from '../../time/Instant.js'
import { carryOut } from '../carryOut.js'
import { carryOutAndSay } from '../carryOutAndSay.js'
import { NodeApi } from '../NodeApi.js'
import { nowOf } from '../nowOf.js'
import { listVerb } from '../pages.js'
import type { PrintedColumn } from '../table.js'
import { printable, type Terminal } from '../Terminal.js'
import { apiVerb, spanIn, verbGroup, type ApiOptions } from '../verb.js'
import { showSecond } from '../words.js'
import { printJson, printNote } from '../print.js'

const stdin = 0
const dayMs = 86_400_000
const addPermission = (text: string, others: readonly string[]): readonly string[] => {
  if (!PermissionC.is(text))
    throw new InvalidArgumentError('It is view, operate, admin, start:<flow>, start:<beginning>*, or one of the app.')
  return [...others, text]
}

type NewOptions = ApiOptions & {
  readonly name: string
  readonly permission: readonly string[]
  readonly expires: number
}

const newToken = (terminal: Terminal): Command =>
  apiVerb('new', 'make a token; it is shown once', [
    'token new --name ci --permission start:billing/* --expires 30d',
    'token new --name wall --permission view',
  ])
    .addOption(new Option('--name <name>', 'who will hold it; stands in every event it causes').makeOptionMandatory())
    .addOption(
      new Option('--permission <permission>', 'what it allows; may be given again')
        .argParser(addPermission)
        .default([], 'none'),
    )
    .addOption(
      new Option('--expires <span>', 'how long it is good for')
        .argParser(spanIn('mhdw', '12h or 30d'))
        .default(30 * dayMs, '30d'),
    )
    .action(async ({ json, name, permission, expires, ...place }: NewOptions) => {
      if (!TokenNameC.is(name))
        throw new CarillonError('usage', 'A name has up to 40 letters, digits, spaces, dots, hyphens or underscores.')
      if (permission.length === 0)
        throw new CarillonError(
          'usage',
          'Say what it allows: --permission view, for example. Try: carillon token new --help',
        )
      const { id, text, hash } = newTokenText()
      const expiresAt = instantFromMillis((await nowOf(place)) + expires)
      const token = { token: id, name, hash, permissions: permission, expiresAt }
      assertInvariant(NewTokenC.is(token), 'a token is made of decoded parts')
      const by = await carryOut(place, { on: 'token', action: 'issue', token })
      if (printJson(terminal, json, { id, token: text, expiresAt, carriedOutBy: by })) return
      terminal.out(text)
      printNote(terminal, `Good until ${showSecond(expiresAt)}. It is not shown again; the store keeps only its hash.`)
    })

const standingOf = ({ revokedAt, expiresAt }: Token, nowMs: number): string => {
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt !== undefined && toMillis(expiresAt) <= nowMs ? 'expired' : 'valid'
}

const shown = (at: Instant | undefined): string => (at === undefined ? '' : showSecond(at))

const columnsAt = (nowMs: number): readonly PrintedColumn<Token>[] => [
  { header: 'TOKEN', cell: ({ id }) => id, tone: () => 'cyan' },
  { header: 'NAME', cell: ({ name }) => name, flexible: true },
  {
    header: 'STANDING',
    cell: (token) => standingOf(token, nowMs),
    tone: (token) => (standingOf(token, nowMs) === 'valid' ? 'green' : 'dim'),
  },
  { header: 'ALLOWS', cell: ({ permissions }) => permissions.join(', '), flexible: true },
  { header: 'UNTIL', cell: ({ expiresAt }) => shown(expiresAt) },
  { header: 'ISSUED BY', cell: ({ issuedBy }) => issuedBy, flexible: true },
]

const list = (terminal: Terminal): Command =>
  listVerb(terminal, ['list', 'list all tokens ever issued', ['token list']], {
    path: '/tokens',
    item: TokenC,
    columns: columnsAt,
    empty: 'No token was issued yet.',
    isWhole: true,
  })

const revoke = (terminal: Terminal): Command =>
  apiVerb('revoke', 'refuse a token from now on, and end the sessions that began with it', [
    'token revoke 3f0c8a91b2d4',
  ])
    .argument('<token>', 'its id, from "carillon token list"')
    .action(async (token: string, options: ApiOptions) => {
      if (!TokenIdC.is(token))
        throw new CarillonError('usage', `"${token}" is not the id of a token: twelve hex digits.`)
      await carryOutAndSay(terminal, options, {
        request: { on: 'token', action: 'revoke', token },
        did: `Token ${token} is revoked.`,
        look: 'token list',
        data: { token, action: 'revoke' },
      })
    })

const check = (terminal: Terminal): Command =>
  apiVerb('check', 'ask the running node whose a token is and what it allows', ['token check - < wall.token'])
    .argument('<token>', 'the token; - reads it from stdin, where no list of processes shows it')
    .action(async (text: string, { json, ...place }: ApiOptions) => {
      const token = (text === '-' ? readFileSync(stdin, 'utf8') : text).trim()
      if (!/^[\x21-\x7e]{1,200}$/.test(token))
        throw new CarillonError('usage', 'That is no token. It is one word, as "carillon token new" printed it.')
      const me = await NodeApi.withToken(place, token).get('/me', {}, MeC)
      if (printJson(terminal, json, me)) return
      const until = me.expiresAt === undefined ? 'for ever' : `until ${showSecond(me.expiresAt)}`
      terminal.out(printable(`${me.name} may ${me.permissions.join(', ')}, ${until}.`))
    })

const link = (terminal: Terminal): Command =>
  apiVerb('link', 'ask the running node for a link that opens its dashboard, once', ['token link']).action(
    async ({ json, ...place }: ApiOptions) => {
      const answer = await NodeApi.at(place).post('/session/link', {}, LinkC)
      if (!printJson(terminal, json, answer)) terminal.out(answer.link)
    },
  )

export const tokenVerb = (terminal: Terminal): Command =>
  verbGroup('token', 'make, list, check and revoke tokens for the HTTP API; open the dashboard', [
    newToken(terminal),
    list(terminal),
    check(terminal),
    revoke(terminal),
    link(terminal),
  ])
