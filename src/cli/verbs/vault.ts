/**
 * `carillon vault`: the states this party holds.
 */
import { Option, type Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { PublicKeyC } from '../../identity/PublicKey.js'
import { readStore } from '../../folder/readStore.js'
import type { Moment } from '../../history/moment.js'
import { instant, type Instant } from '../../time/Instant.js'
import type { Aggregate } from '../../vault/query/VaultAggregate.js'
import { assertFields } from '../../vault/query/assertFields.js'
import type { Criterion, Span } from '../../vault/query/Criterion.js'
import type { Sort, StateCriteria, Status } from '../../vault/query/VaultQuery.js'
import { aggregateVault, countStates, indexedFields, queryVault } from '../../storage/queries/readVault.js'
import { containsText, type VaultEntry } from '../../vault/VaultEntry.js'
import type { Database } from '../../storage/Database.js'
import { atOption, revisionOf } from '../atOption.js'
import { gather, limitOption, sayMore, type PageOptions } from '../pages.js'
import { parseCriterion } from '../parseCriterion.js'
import type { Column } from '../table.js'
import type { Terminal } from '../Terminal.js'
import { verb, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { shortRef, showJson, showSecond } from '../words.js'
import { printList } from '../print.js'

type Options = StoreOptions &
  PageOptions<string> & {
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

const columns: readonly Column<VaultEntry>[] = [
  { header: 'RECORDED', cell: ({ recordedAt }) => showSecond(recordedAt) },
  { header: 'STATE', cell: ({ type }) => type, flexible: true },
  { header: 'REF', cell: ({ ref }) => shortRef(ref), tone: () => 'cyan' },
  { header: 'CONSUMED BY', cell: ({ consumedBy }) => consumedBy?.slice(0, 12) ?? '', tone: () => 'dim' },
  { header: 'DATA', cell: ({ data }) => showJson(data), flexible: true },
]

const figureColumns = (isSum: boolean, isGrouped: boolean): readonly Column<Aggregate>[] => {
  const show = (value: string | number | undefined): string => (value === undefined ? '' : String(value))
  const figure = (header: string, cell: (aggregate: Aggregate) => string | number | undefined): Column<Aggregate> => ({
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

const criteriaOf = (options: Options): StateCriteria => {
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
    status,
    includeIrrelevant: observed === true,
    ...(type === undefined ? {} : { type }),
    ...(key === undefined ? {} : { key }),
    ...(criteria.length === 0 ? {} : { where: { and: criteria } }),
  }
}

const sortOf = ({ sort, descending }: Options): Sort => ({
  by: sort === undefined || sort === 'recorded' ? 'recorded' : sort === 'consumed' ? 'consumed' : { field: sort },
  ...(descending === undefined ? {} : { descending }),
})

/** No app is loaded here, so the fields are those that states in the store have. */
const assertKnown = (db: Database, { type, where }: StateCriteria, sort: Sort, also: readonly string[]): void => {
  if (type === undefined) return
  const names = indexedFields(db).get(type) ?? []
  assertFields(
    { type, indexed: Object.fromEntries(names.map((name) => [name, () => undefined])) },
    { where, sort, also },
  )
}

const addCriterion = (text: string, before: readonly Criterion[] = []): readonly Criterion[] => [
  ...before,
  parseCriterion(text),
]

const aggregate = async (terminal: Terminal, options: Options): Promise<void> => {
  const { store, json, sum, by } = options
  const criteria = criteriaOf(options)
  const fields = [sum, by].filter((name) => name !== undefined)
  const found = readStore(store, (db) => {
    assertKnown(db, criteria, { by: 'recorded' }, fields)
    return aggregateVault(db, {
      ...criteria,
      ...(sum === undefined ? {} : { of: sum }),
      ...(by === undefined ? {} : { by }),
    })
  })
  await printList(terminal, json, {
    rows: found,
    columns: figureColumns(sum !== undefined, by !== undefined),
    empty: 'No such states.',
  })
}

const list = async (terminal: Terminal, options: Options): Promise<void> => {
  const { store, json, limit, after, at, text } = options
  const criteria = criteriaOf(options)
  const sort = sortOf(options)
  const found = readStore(store, (db) => {
    assertKnown(db, criteria, sort, [])
    const isPlain = sort.by === 'recorded' && sort.descending !== true
    const then = { ...(at === undefined ? {} : { at: revisionOf(db, at) }), ...(isPlain ? {} : { sort }) }
    return gather({ limit, ...(after === undefined ? {} : { after }) }, (page) => {
      const { items, next } = queryVault(db, { ...page, ...criteria, ...then })
      return { items: text === undefined ? items : items.filter((entry) => containsText(entry, text)), next }
    })
  })
  await printList(terminal, json, { rows: found.items, columns, empty: 'No such states.' })
  sayMore(terminal, found)
}

const typeColumns: readonly Column<ReturnType<typeof countStates>[number]>[] = [
  { header: 'TYPE', cell: ({ type }) => type, flexible: true },
  { header: 'UNCONSUMED', cell: ({ unconsumed }) => unconsumed.toLocaleString('en'), align: 'right' },
  { header: 'CONSUMED', cell: ({ consumed }) => consumed.toLocaleString('en'), align: 'right' },
]

const listTypes = (terminal: Terminal, { store, json }: Options): Promise<void> =>
  printList(terminal, json, {
    rows: readStore(store, countStates),
    columns: typeColumns,
    empty: 'There are no states yet.',
  })

export const vault = (real: Terminal): Command =>
  verb(
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
    .addOption(new Option('--after <cursor>', 'go on where an earlier list ended'))
    .addOption(new Option('--count', 'only say how many there are'))
    .addOption(new Option('--sum <field>', 'add an indexed field up, with its average and bounds'))
    .addOption(new Option('--by <field>', 'count or add up for each value of an indexed field'))
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => (options: Options) => {
        if (options.types === true) return listTypes(terminal, options)
        const isFigure = options.count === true || options.sum !== undefined || options.by !== undefined
        return isFigure ? aggregate(terminal, options) : list(terminal, options)
      }),
    )
