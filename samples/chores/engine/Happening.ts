/**
 * What a transaction of a chore says in one line: the command it carries. The log of a run is nothing but these, read
 * back from the node's log.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { defineCommand, IntegerC, type Instant, type Node, type Party, type TransactionBuilder } from 'carillon'
import { record } from '../../shared/record.js'
import { readCommands, type Commanded } from '../../shared/readCommands.js'

export const HappeningKindC = t.keyof({
  registered: null,
  deleted: null,
  control: null,
  'run-started': null,
  'run-skipped': null,
  'run-restarted': null,
  'run-completed': null,
  'run-failed': null,
  'run-stopped': null,
  polled: null,
  'task-started': null,
  'task-continued': null,
  'task-completed': null,
  'task-failed': null,
  'task-timed-out': null,
})

export const HappeningC = record('Happening', {
  choreId: t.string,
  run: IntegerC,
  kind: HappeningKindC,
  /** Who asked, where someone did. */
  by: t.union([t.string, t.null]),
  text: t.union([t.string, t.null]),
  /** Why it failed, where it did. */
  why: t.union([t.string, t.null]),
})
export type Happening = t.TypeOf<typeof HappeningC>

const HappeningCommand = defineCommand({ type: 'chores/Happening', data: HappeningC })

/** Puts into a transaction what it does to a chore; its owner signs for it. */
export const tell = (
  tx: TransactionBuilder,
  { owner, choreId, run }: { readonly owner: Party; readonly choreId: string; readonly run: number },
  kind: Happening['kind'],
  { by = null, text = null, why = null }: Partial<Pick<Happening, 'by' | 'text' | 'why'>> = {},
): TransactionBuilder => tx.command(HappeningCommand, [owner], { choreId, run, kind, by, text, why })

export const happeningsOf = (commands: Commanded['commands']): readonly Happening[] =>
  commands.flatMap(({ type, data }) => {
    const decoded = type === HappeningCommand.type ? HappeningC.decode(data) : undefined
    return decoded !== undefined && isRight(decoded) ? [decoded.right] : []
  })

export type RunLogEntry = Happening & { readonly at: Instant; readonly revision: number }

export type RunLogQuery = {
  /** Only this run; default all. */
  readonly run?: number
  /** Where in the log to begin. */
  readonly fromRevision?: number
}

/** Polls that brought nothing are left out of the log. */
const uneventful: ReadonlySet<Happening['kind']> = new Set(['polled', 'task-continued'])

export const readRunLog = async (
  node: Pick<Node, 'readLog'>,
  choreId: string,
  { run, fromRevision = 0 }: RunLogQuery = {},
): Promise<readonly RunLogEntry[]> => {
  const entries: RunLogEntry[] = []
  for await (const { commands, at, revision } of readCommands(node, fromRevision))
    for (const happening of happeningsOf(commands))
      if (happening.choreId === choreId && !uneventful.has(happening.kind) && (run ?? happening.run) === happening.run)
        entries.push({ ...happening, at, revision })
  return entries
}
