/**
 * `carillon log copy`: moves the log of a stopped node from one place to another, and proves the copy.
 */
import type { Command } from 'commander'
import { CarillonError } from '../../errors/CarillonError.js'
import type { Head } from '../../log/Tick.js'
import { assertUnmoved, copyLog, offeredByLog } from '../../history/copyLog.js'
import { makeStore } from '../../history/importLog.js'
import { verifyLog } from '../../history/verifyLog.js'
import { openLog } from '../../logs/openLog.js'
import { assertStore } from '../../folder/readStore.js'
import { lockFolder } from '../../folder/StoreFolder.js'
import { isAddress, withNamedLog } from '../namedLog.js'
import { withProgress } from '../ProgressBar.js'
import { printable, type Terminal } from '../Terminal.js'
import { bareVerb, jsonOption, type JsonOptions } from '../verb.js'
import { showCount } from '../words.js'
import { printJson, printNote } from '../print.js'

const named = (place: string): { readonly store: string; readonly log?: string } =>
  isAddress(place) ? { store: '', log: place } : { store: place }

/** A node must not go on in the old place while its log is moved. */
const holdStill = (place: string): (() => void) => {
  if (isAddress(place)) return () => undefined
  assertStore(place)
  return lockFolder(place)
}

const copyTo = (terminal: Terminal, from: string, to: string): Promise<Head> =>
  withNamedLog(named(from), async (source) => {
    const total = (await source.head()).revision + 1
    if (!isAddress(to)) {
      const head = await withProgress(
        terminal,
        'Copying',
        (onProgress) => makeStore(offeredByLog(source), to, { onProgress }),
        total,
      )
      await assertUnmoved(source, head)
      const { problems } = await withNamedLog({ store: to }, (copy) =>
        withProgress(terminal, 'Verifying', (onProgress) => verifyLog(copy.read(0), { onProgress }), total),
      )
      const [problem] = problems
      if (problem === undefined) return head
      throw new CarillonError('log-altered', `The copy in ${to} is not what was copied: ${problem.what}.`, {
        revision: problem.revision,
      })
    }
    const target = await openLog(to)
    try {
      return await withProgress(
        terminal,
        'Copying',
        (onCopied) => copyLog(source, target, { onCopied, onVerified: onCopied }),
        total,
      )
    } finally {
      await target.close()
    }
  })

const hintFor = (from: string, to: string): string => {
  if (isAddress(to) && isAddress(from)) return 'Start the node with --log and the new address from now on.'
  return isAddress(to)
    ? `Start the node with --store ${from} and --log <the new address> from now on; without --log it would go on from the old log, and there would be two histories.`
    : `A log holds no keys: copy node.key and node.secret of the old store to ${to} before you run a node on it, and run none on the old log any more.`
}

export const copy = (terminal: Terminal): Command =>
  bareVerb('copy', 'copy the log of a stopped node into another store or onto a server, and verify the copy', [
    'log copy ./data "postgres://carillon@db.example/ledger?schema=alice&sslmode=verify-full"',
    'log copy "postgres://carillon@db.example/ledger?schema=alice&sslmode=verify-full" ./restored',
  ])
    .argument('<from>', 'a store folder, or the address of a log')
    .argument('<to>', 'a folder that holds no events, or the address of an empty log')
    .addOption(jsonOption())
    .action(async (from: string, to: string, { json }: JsonOptions) => {
      const letGo = holdStill(from)
      try {
        const head = await copyTo(terminal, from, to)
        if (printJson(terminal, json, { head })) return
        terminal.out(`${showCount(head.revision + 1, 'event')} copied and verified, head ${head.hash}.`)
        printNote(terminal, printable(hintFor(from, to)))
      } finally {
        letGo()
      }
    })
