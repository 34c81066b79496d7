/**
 * Projections that a crash campaign looks at: each counts events in a chain of hashes, so that one event too many,
 * one too few, or two in another order make another result for ever.
 */
import { createHash } from 'node:crypto'
import * as t from 'io-ts'
import { defineProjection, definePostgresProjection, type AnyProjection } from '../../src/entries/projections.js'

export const InPostgresName = 'crash/InPostgres'

const countedTypes = ['TransactionRecorded', 'FlowEnded'] as const

/** Each statement is a way to another process, so the database counts few: it must keep up with a node that never rests. */
const oneOf = 10

type Happened = { readonly revision: number; readonly type: string }

export const isCountedBy = (projection: string, { revision, type }: Happened): boolean =>
  countedTypes.some((counted) => counted === type) && (projection !== InPostgresName || revision % oneOf === 0)

/** What was counted, up to the event of a revision. */
export const CountC = t.strict({ count: t.number, revision: t.number, chain: t.string })
export type Count = t.TypeOf<typeof CountC>

export const noCount: Count = { count: 0, revision: -1, chain: '' }

export const countOn = ({ count, chain }: Count, { revision, type }: Happened): Count => ({
  count: count + 1,
  revision,
  chain: createHash('sha256').update(`${chain} ${revision} ${type}`).digest('hex'),
})

const counting = (name: string, store: 'memory' | 'sqlite') =>
  defineProjection({ name, store, codec: CountC, types: countedTypes, init: () => noCount, evolve: countOn })

export const InMemory = counting('crash/InMemory', 'memory')
export const BesideTheStore = counting('crash/BesideTheStore', 'sqlite')

/** All of them. */
export const projectionNames = [InMemory.name, BesideTheStore.name, InPostgresName]

export const countSchema = 'crash_count'

/** The same, counted by the database itself. */
export const inPostgres = (url: string) =>
  definePostgresProjection({
    name: InPostgresName,
    url,
    schema: countSchema,
    types: countedTypes,
    tables: [
      'CREATE TABLE counted (count integer NOT NULL, revision integer NOT NULL, chain text NOT NULL)',
      "INSERT INTO counted VALUES (0, -1, '')",
    ],
    evolve: async (sql, { revision, type }) => {
      if (!isCountedBy(InPostgresName, { revision, type })) return
      await sql(
        `UPDATE counted SET count = count + 1, revision = $1::integer,
         chain = encode(sha256(convert_to(chain || ' ' || $1 || ' ' || $2, 'UTF8')), 'hex')`,
        [String(revision), type],
      )
    },
  })

export const countingIn = (postgresUrl: string): readonly AnyProjection[] => [
  InMemory,
  BesideTheStore,
  inPostgres(postgresUrl),
]
