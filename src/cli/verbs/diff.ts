/**
 * `carillon diff`: what is different between two moments of a store's past.
 */
import { Option, type Command } from 'commander'
import type { Moment } from '../../history/moment.js'
import type { Listing, Place, WorldDiff } from '../../storage/queries/WorldDiff.js'
import type { AgendaEntry } from '../../agenda/AgendaEntry.js'
import type { VaultEntry } from '../../vault/VaultEntry.js'
import { momentValue, withPast } from '../atOption.js'
import { limitOption } from '../pages.js'
import { printJson } from '../print.js'
import { storedNode } from '../storedNode.js'
import { fit } from '../table.js'
import { printable, type Terminal, type TextTone } from '../Terminal.js'
import { verb, type StoreOptions } from '../verb.js'
import { shortRef, showCount, showInstant, showJson } from '../words.js'

type Options = StoreOptions & { readonly from: Moment; readonly to?: Moment; readonly limit: number }

const signs = { added: ['+', 'green'], removed: ['-', 'red'], changed: ['~', 'yellow'] } as const satisfies Record<
  string,
  readonly [string, TextTone]
>

const stateLine = ({ ref, type, data }: VaultEntry): string => `${shortRef(ref)}  ${type}  ${showJson(data)}`

const standingOf = ({ standing, due, actsAt, flow, error, note }: AgendaEntry): string =>
  [
    standing,
    flow ?? '',
    due === undefined ? '' : `due ${showInstant(due)}`,
    actsAt === undefined ? '' : `acts ${showInstant(actsAt)}`,
    error === undefined ? '' : `${error.code}: ${error.message}`,
    note ?? '',
  ]
    .filter((part) => part !== '')
    .join('  ')

const agendaLine = (entry: AgendaEntry): string => `${shortRef(entry.ref)}  ${entry.type}  ${standingOf(entry)}`

const placeText = ({ revision, at }: Place): string =>
  at === undefined ? 'before the first event' : `revision ${revision}, ${showInstant(at)}`

class DiffWriter {
  readonly #terminal: Terminal
  #isSame = true

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  get isSame(): boolean {
    return this.#isSame
  }

  list<A>(what: string, kind: keyof typeof signs, { total, items }: Listing<A>, line: (item: A) => string): void {
    if (total === 0) return
    this.#isSame = false
    const [sign, tone] = signs[kind]
    this.#terminal.out(this.#terminal.tone('bold', `${what}: ${total.toLocaleString('en')}`))
    for (const item of items)
      this.#terminal.out(this.#terminal.tone(tone, fit(printable(`${sign} ${line(item)}`), this.#terminal.width)))
    if (items.length < total)
      this.#terminal.out(this.#terminal.tone('dim', `  … and ${showCount(total - items.length, 'more', 'more')}`))
  }

  say(text: string): void {
    this.#isSame = false
    this.#terminal.out(printable(text))
  }
}

const tell = (terminal: Terminal, { from, to, states, agenda, flows, node }: WorldDiff): void => {
  terminal.out(terminal.tone('dim', `from ${placeText(from)}`))
  terminal.out(terminal.tone('dim', `to   ${placeText(to)}`))
  const writer = new DiffWriter(terminal)
  writer.list('states produced', 'added', states.produced, stateLine)
  writer.list('states consumed', 'removed', states.consumed, stateLine)
  if (states.passing > 0) writer.say(`${showCount(states.passing, 'state')} came and went in between`)
  writer.list('on the agenda', 'added', agenda.added, agendaLine)
  writer.list('off the agenda', 'removed', agenda.removed, agendaLine)
  writer.list(
    'otherwise on the agenda',
    'changed',
    agenda.changed,
    ({ before, after }) => `${shortRef(after.ref)}  ${after.type}  ${standingOf(before)}  →  ${standingOf(after)}`,
  )
  const ended = Object.entries(flows.ended).map(([outcome, count]) => `${count.toLocaleString('en')} ${outcome}`)
  if (flows.started > 0 || ended.length > 0)
    writer.say(
      `flows: ${flows.started.toLocaleString('en')} started${ended.length === 0 ? '' : `; of those that ended, ${ended.join(', ')}`}`,
    )
  if (node.starts > 0) writer.say(`the node was started ${showCount(node.starts, 'time')}`)
  if (node.app !== undefined) writer.say(`app: ${node.app.before} → ${node.app.after}`)
  if (node.draining !== undefined) writer.say(`draining: ${node.draining.before ? 'ended' : 'begun'}`)
  if (writer.isSame) terminal.out('Nothing is different.')
}

export const diffVerb = (terminal: Terminal): Command =>
  verb('diff', 'show what is different between two moments of the past', [
    'diff --from 1200',
    'diff --from 2026-01-31T09:00:00Z --to 2026-01-31T10:00:00Z',
    'diff --from 0 --to 1200 --json',
  ])
    .addOption(
      new Option('--from <moment>', 'the earlier moment: a revision, or an instant')
        .argParser(momentValue)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--to <moment>', 'the later moment (default: now)').argParser(momentValue))
    .addOption(limitOption())
    .action(async ({ store, json, from, to, limit }: Options) => {
      const last = to ?? storedNode(store).head.revision
      const found = await withPast(terminal, store, from, (machine) => machine.diff({ from, to: last, limit }), last)
      if (!printJson(terminal, json, found)) tell(terminal, found)
    })
