/**
 * `carillon vault`: the states this party holds.
 */
import { Option, type Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { Moment } from '../../history/moment.js'
import { AggregateC, StateTypesC, VaultEntryC, type StateType } from '../../http/answers.js'
import { PublicKeyC } from '../../identity/PublicKey.js'
import { instant, type Instant } from '../../time/Instant.js'
import type { Criterion, Span } from '../../vault/query/Criterion.js'
import type { Aggregate } from '../../vault/query/VaultAggregate.js'
import type { Status } from '../../vault/query/VaultQuery.js'
import type { VaultEntry } from '../../vault/VaultEntry.js'
import { atOption } from '../atOption.js'
import type { RequestQuery } from '../../client/NodeConnection.js'
import { NodeApi } from '../NodeApi.js'
import { afterOption, limitOption, printListed, type Listed, type PageOptions } from '../pages.js'
import { parseCriterion } from '../parseCriterion.js'
import { printList } from '../print.js'
import type { PrintedColumn } from '../table.js'
import type { Terminal } from '../Terminal.js'
import { apiVerb, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { shortRef, showJson, showSecond } from '../words.js'

type Options = ApiOptions &
  PageOptions & {
    readonly type?: string
    readonly key?: string
    readonly status: Status
    readonly observed?: boolean
    readonly where?: readonly Criterion[]
    readonly party?: string
    readonly recordedFrom?: Instant
    readonly recordedUntil?: Instant
    readonly consumedFrom?: Instant
    readonly consumedUntil?: Instant
    readonly sort?: string
    readonly descending?: boolean
    readonly count?: boolean
    readonly sum?: string
    readonly by?: string
    readonly at?: Moment
    readonly text?: string
    readonly types?: boolean
  }

const columns: readonly PrintedColumn<VaultEntry>[] = [
  { header: 'RECORDED', cell: ({ recordedAt }) => showSecond(recordedAt) },
  { header: 'STATE', cell: ({ type }) => type, flexible: true },
  { header: 'REF', cell: ({ ref }) => shortRef(ref), tone: () => 'cyan' },
  { header: 'CONSUMED BY', cell: ({ consumedBy }) => consumedBy?.slice(0, 12) ?? '', tone: () => 'dim' },
  { header: 'DATA', cell: ({ data }) => showJson(data), flexible: true },
]

const figureColumns = (isSum: boolean, isGrouped: boolean): readonly PrintedColumn<Aggregate>[] => {
  const show = (value: string | number | undefined): string => (value === undefined ? '' : String(value))
  const figure = (
    header: string,
    cell: (aggregate: Aggregate) => string | number | undefined,
  ): PrintedColumn<Aggregate> => ({
    header,
    cell: (aggregate) => show(cell(aggregate)),
    align: 'right',
  })
  return [
    ...(isGrouped ? [{ header: 'GROUP', cell: ({ group }: Aggregate) => show(group) }] : []),
    figure('COUNT', ({ count }) => count),
    ...(isSum
      ? [
          figure('SUM', ({ sum }) => sum),
          figure('AVERAGE', ({ average }) => average),
          figure('MIN', ({ min }) => min),
          figure('MAX', ({ max }) => max),
        ]
      : []),
  ]
}

const spanOf = (from: Instant | undefined, until: Instant | undefined): Span => ({
  ...(from === undefined ? {} : { from }),
  ...(until === undefined ? {} : { until }),
})

const partyOf = (text: string): Criterion => {
  const key = decodeWith(PublicKeyC, text)
  if (isLeft(key))
    throw new CarillonError(
      'usage',
      `--party takes a party's public key, and "${text}" is none. "carillon network show" lists the keys of a network's parties.`,
    )
  return { party: key.right }
}

const criteriaOf = (options: Options): RequestQuery => {
  const { type, key, status, observed, where = [], party } = options
  const { recordedFrom, recordedUntil, consumedFrom, consumedUntil } = options
  const criteria: readonly Criterion[] = [
    ...where,
    ...(party === undefined ? [] : [partyOf(party)]),
    ...(recordedFrom === undefined && recordedUntil === undefined
      ? []
      : [{ recorded: spanOf(recordedFrom, recordedUntil) }]),
    ...(consumedFrom === undefined && consumedUntil === undefined
      ? []
      : [{ consumed: spanOf(consumedFrom, consumedUntil) }]),
  ]
  return {
    type,
    key,
    status,
    includeIrrelevant: observed === true ? 'true' : undefined,
    where: criteria.length === 0 ? undefined : JSON.stringify({ and: criteria }),
  }
}

const addCriterion = (text: string, before: readonly Criterion[] = []): readonly Criterion[] => [
  ...before,
  parseCriterion(text),
]

const figures: Listed<Options, Aggregate> = {
  path: '/states/figures',
  query: (options) => ({ ...criteriaOf(options), of: options.sum, by: options.by }),
  item: AggregateC,
  columns: (_, { sum, by }) => figureColumns(sum !== undefined, by !== undefined),
  empty: 'No such states.',
  isWhole: true,
}

const states: Listed<Options, VaultEntry> = {
  path: '/states',
  query: (options) => {
    const { text, sort, descending, at } = options
    return { ...criteriaOf(options), text, sort, descending: descending === true ? 'true' : undefined, at }
  },
  item: VaultEntryC,
  columns: () => columns,
  empty: 'No such states.',
}

const typeColumns: readonly PrintedColumn<StateType>[] = [
  { header: 'TYPE', cell: ({ type }) => type, flexible: true },
  { header: 'UNCONSUMED', cell: ({ unconsumed }) => unconsumed.toLocaleString('en'), align: 'right' },
  { header: 'CONSUMED', cell: ({ consumed = 0 }) => consumed.toLocaleString('en'), align: 'right' },
]

const listTypes = async (terminal: Terminal, options: Options): Promise<void> => {
  const { types } = await NodeApi.at(options).get('/states/types', { consumed: 'true' }, StateTypesC)
  await printList(terminal, options.json, { rows: types, columns: typeColumns, empty: 'There are no states yet.' })
}

export const vaultVerb = (real: Terminal): Command =>
  apiVerb(
    'vault',
    'show the states this party holds, oldest first',
    [
      'vault',
      'vault --type heartbeat/Heartbeat --status all',
      "vault --type bank/Iou --where currency=EUR --where 'amount>=100' --sort amount --descending",
      'vault --type bank/Iou --sum amount --by currency',
      'vault --at 2026-01-31T09:00:00Z',
      'vault --types',
      'vault --text bell',
      'vault --json | jq .data',
    ],
    'print one JSON document a line',
  )
    .addOption(new Option('--type <type>', 'only states of this type'))
    .addOption(new Option('--key <key>', 'only states that are, or were, known by this key; needs --type'))
    .addOption(
      new Option('--status <status>', 'whether they are used up')
        .choices(['unconsumed', 'consumed', 'all'])
        .default('unconsumed'),
    )
    .addOption(
      new Option(
        '--where <criterion>',
        "an indexed field and its value, as currency=EUR, 'amount>=100', 'amount<200', or a criterion in JSON; several must all hold; needs --type",
      ).argParser(addCriterion),
    )
    .addOption(new Option('--text <text>', 'only states whose data contain this text, or whose ref begins with it'))
    .addOption(new Option('--types', 'list the types of states instead, with how many there are of each'))
    .addOption(new Option('--party <key>', 'only states in which the party with this key takes part'))
    .addOption(new Option('--recorded-from <instant>', 'recorded at this instant or later').argParser(instant))
    .addOption(new Option('--recorded-until <instant>', 'recorded before this instant').argParser(instant))
    .addOption(new Option('--consumed-from <instant>', 'consumed at this instant or later').argParser(instant))
    .addOption(new Option('--consumed-until <instant>', 'consumed before this instant').argParser(instant))
    .addOption(new Option('--observed', 'also states that are kept for others and not relevant to this party'))
    .addOption(new Option('--sort <by>', 'recorded, consumed, or an indexed field').default('recorded'))
    .addOption(new Option('--descending', 'the other way round: newest or largest first'))
    .addOption(atOption('the vault'))
    .addOption(limitOption())
    .addOption(afterOption())
    .addOption(new Option('--count', 'only say how many there are'))
    .addOption(new Option('--sum <field>', 'add an indexed field up, with its average and bounds'))
    .addOption(new Option('--by <field>', 'count or add up for each value of an indexed field'))
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => (options: Options) => {
        if (options.types === true) return listTypes(terminal, options)
        const isFigure = options.count === true || options.sum !== undefined || options.by !== undefined
        return isFigure ? printListed(terminal, options, figures) : printListed(terminal, options, states)
      }),
    )
