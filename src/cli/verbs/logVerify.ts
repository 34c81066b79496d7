/**
 * `carillon log verify` and `carillon log head`: prove that a log is what was written, and give others the means to.
 */
import { createReadStream, existsSync } from 'node:fs'
import type { Command } from 'commander'
import { Option } from 'commander'
import { canonicalText } from '../../encoding/canonical.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { readKeptCheckpoints } from '../../storage/tables/HeadTable.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import { makeCheckpoint } from '../../backup/makeCheckpoint.js'
import { publicKeyIn, readKeyFile } from '../../keys/KeyFile.js'
import { recoverKey } from '../../keys/KeyRotation.js'
import { storeFiles } from '../../folder/StoreFolder.js'
import type { Database } from '../../storage/Database.js'
import { publicKeyArgument } from '../publicKeyArgument.js'
import { foldLog } from '../../history/foldLog.js'
import type { LogProblem } from '../../history/LogProblem.js'
import { readLines } from '../../history/readLines.js'
import { readExport } from '../../history/readExport.js'
import type { EncodedTick } from '../../log/Tick.js'
import { parseCheckpoint } from '../../history/parseCheckpoint.js'
import { verifyLog, type LogReport } from '../../history/verifyLog.js'
import { readStore } from '../../folder/readStore.js'
import { logOption, withNamedLog, type LogOptions } from '../namedLog.js'
import { withProgress } from '../ProgressBar.js'
import { readJsonFile } from '../readJsonFile.js'
import { printable, type Terminal } from '../Terminal.js'
import { verb } from '../verb.js'
import { showCount } from '../words.js'
import { printJson, printNote } from '../print.js'

type VerifyOptions = LogOptions & {
  readonly head?: readonly string[]
  readonly decode?: boolean
  readonly by?: PublicKey
  readonly export?: string
}

const where = ({ revision, untilRevision }: LogProblem): string =>
  untilRevision === undefined ? `revision ${revision}` : `revisions ${revision} to ${untilRevision}`

const tell = (terminal: Terminal, report: LogReport): void => {
  const { problems, events, ticks, transactions, signedBy, head } = report
  for (const problem of problems)
    terminal.out(`${terminal.tone('red', `${problem.kind}, ${where(problem)}`)}  ${printable(problem.what)}`)
  terminal.out(
    `${showCount(events, 'event')} in ${showCount(ticks, 'tick')}, ${showCount(transactions, 'transaction')}; head ${head.hash}${signedBy === undefined ? '' : `, signed by ${signedBy}`}`,
  )
  if (problems.length === 0) terminal.out(terminal.tone('green', 'The log is sound.'))
}

const refuse = (store: string, problems: readonly LogProblem[]): void => {
  const [first] = problems
  if (first === undefined) return
  throw new CarillonError(
    'log-altered',
    `The log in ${store} is not what was written: ${showCount(problems.length, 'problem')} found, the first (${first.kind}) at ${where(first)}. Keep it as evidence, and restore an export or a backup that verifies.`,
    { store, problems: problems.length, kind: first.kind, revision: first.revision },
  )
}

/** Reads the views of a node: those of its store, or folded from a log that is kept elsewhere. */
const withViews = async <A>(named: LogOptions, read: (db: Database) => A): Promise<A> => {
  if (named.log === undefined) return readStore(named.store, read)
  return withNamedLog(named, async (log) => {
    const db = await foldLog(log.read(0))
    try {
      return read(db)
    } finally {
      db.close()
    }
  })
}

/** The ticks of an exported log, as they stand in the file. */
async function* ticksOfExport(file: string): AsyncGenerator<EncodedTick> {
  for await (const { tick } of readExport(readLines(file === '-' ? process.stdin : createReadStream(file), file)))
    yield tick
}

const several = (file: string, before: readonly string[] = []): readonly string[] => [...before, file]

export const verify = (terminal: Terminal): Command =>
  verb(
    'verify',
    'prove that nothing in the log was altered, dropped, reordered or forged, nor cut off before a given checkpoint',
    ['log verify', 'log verify --head kept-by-bob.json', 'log verify --json | jq .problems[0]'],
  )
    .addOption(
      new Option(
        '--head <file>',
        'a checkpoint of this log, as "log head" prints it, kept elsewhere: finds a cut-off end; may be repeated',
      ).argParser(several),
    )
    .addOption(
      new Option(
        '--by <key>',
        "a key that must have signed the log, at first or since a change of key (default: the one in the store's key file)",
      ).argParser(publicKeyArgument),
    )
    .addOption(new Option('--decode', 'also decode every event, as a rebuild would; takes several times as long'))
    .addOption(logOption())
    .addOption(
      new Option('--export <file>', 'verify a log as "log export" has written it, instead of that of the store'),
    )
    .action(async ({ json, head: files = [], decode, by, export: exported, ...named }: VerifyOptions) => {
      const expected = by ?? (exported === undefined ? publicKeyIn(storeFiles(named.store).key) : undefined)
      const checkpoints = await Promise.all(files.map(async (file) => parseCheckpoint(await readJsonFile(file))))
      const options = { checkpoints, decode: decode === true, ...(expected === undefined ? {} : { by: expected }) }
      const check = async (ticks: AsyncIterable<EncodedTick>, where: string, total?: number): Promise<void> => {
        const report = await withProgress(
          terminal,
          'Verifying',
          (onProgress) => verifyLog(ticks, { ...options, onProgress }),
          total,
        )
        if (!printJson(terminal, json, report)) tell(terminal, report)
        refuse(where, report.problems)
      }
      if (exported !== undefined) return check(ticksOfExport(exported), exported)
      return withNamedLog(named, async (log) =>
        check(log.read(0), log.where ?? named.store, (await log.head()).revision + 1),
      )
    })

const headOfOwn = async (terminal: Terminal, named: LogOptions): Promise<void> => {
  const { key: keyFile } = storeFiles(named.store)
  recoverKey(keyFile, named.store)
  if (!existsSync(keyFile))
    throw new CarillonError(
      'head-unsigned',
      `A checkpoint is signed with the node's key, and ${keyFile} is missing. Put node.key and node.secret back, or ask a party that keeps a checkpoint of this log ("carillon log head --of" there).`,
      { file: keyFile },
    )
  const key = readKeyFile(keyFile)
  const checkpoint = await withViews(named, (db) => makeCheckpoint(db, key))
  terminal.out(printable(canonicalText(checkpoint)))
  printNote(terminal, `The checkpoint at revision ${checkpoint.revision}, signed by ${checkpoint.by}.`)
}

/** Said after a party that is not among those whose checkpoints are kept. */
const others = (names: readonly string[]): string =>
  names.length === 0
    ? 'None is kept yet: checkpoints come from parties that the node talks with'
    : `Kept are those of ${names.join(', ')}`

const headOfOther = async (terminal: Terminal, named: LogOptions, of: string): Promise<void> => {
  const kept = await withViews(named, readKeptCheckpoints)
  const found = kept.find(({ party }) => party.name === of || party.key === of)
  if (found === undefined)
    throw new CarillonError(
      'head-unsigned',
      `No checkpoint of the log of ${of} is kept here. ${others(kept.map(({ party }) => party.name))}.`,
      { party: of },
    )
  terminal.out(printable(canonicalText(found.checkpoint)))
  printNote(
    terminal,
    `The checkpoint of ${printable(found.party.name)} at revision ${found.checkpoint.revision}, kept since ${found.keptAt}.`,
  )
}

export const head = (terminal: Terminal): Command =>
  verb('head', "print a checkpoint of the log, signed with the node's key, for others to keep", [
    'log head > head.json',
    'log head --of Notary > kept-for-the-notary.json',
  ])
    .addOption(new Option('--of <party>', "the newest checkpoint that this node keeps of another party's log"))
    .addOption(logOption())
    .action(({ of, ...named }: LogOptions & { readonly of?: string }) =>
      of === undefined ? headOfOwn(terminal, named) : headOfOther(terminal, named, of),
    )
