/**
 * Copies a log into another one, whatever keeps them, tick by tick and checked on the way; and then reads the copy back,
 * because a copy nobody has read is a hope. What was copied before an interruption is not copied again.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { EventLog } from '../log/EventLog.js'
import { emptyHead, headAfter, type EncodedTick, type Head } from '../log/Tick.js'
import { soundEvents, offeredByExport, type OfferedTick } from './importLog.js'
import { LogChecker } from './LogChecker.js'
import { verifyLog } from './verifyLog.js'

/** What is read of a log that is copied. */
export type CopiedLog = Pick<EventLog, 'head' | 'read' | 'where'>

const sameHead = (a: Head, b: Head): boolean => a.revision === b.revision && a.hash === b.hash

const notEmpty = (target: EventLog, head: Head): CarillonError =>
  new CarillonError(
    'log-not-empty',
    `The log ${target.where ?? 'to copy into'} already holds ${head.revision + 1} events that are not the first ones of this log. Copy into an empty log.`,
    { events: head.revision + 1 },
  )

/** Appends one tick; whether a lost acknowledgement meant yes is read back. */
const append = async (to: EventLog, expected: Head, tick: EncodedTick): Promise<void> => {
  const outcome = await to.append(expected, tick)
  if (outcome.kind === 'appended') return
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.kind === 'unknown' && sameHead(await to.head(), headAfter(tick))) return
  if (outcome.kind === 'unknown') throw outcome.error
  throw new CarillonError(
    'log-revision-conflict',
    `Another process has appended to the log that is copied into, up to revision ${outcome.head.revision}. Stop it, and copy into an empty log.`,
    { revision: outcome.head.revision },
  )
}

/** Appends what the target does not hold yet; what it holds must be the same ticks. */
const appendAll = async (
  offered: AsyncIterable<OfferedTick>,
  to: EventLog,
  onProgress?: (events: number) => void,
): Promise<Head> => {
  const held = await to.head()
  const checker = new LogChecker({ decode: true })
  for await (const next of offered) {
    const expected = checker.head
    soundEvents(checker, next)
    if (checker.head.revision > held.revision) {
      if (expected.revision < held.revision) throw notEmpty(to, held)
      await append(to, expected, next.tick)
    } else if (checker.head.revision === held.revision && checker.head.hash !== held.hash) throw notEmpty(to, held)
    onProgress?.(checker.counts.events)
  }
  if (checker.head.revision < held.revision) throw notEmpty(to, held)
  return checker.head
}

/** Reads the copy back and verifies it like any other log. */
const proveCopy = async (to: EventLog, head: Head, onProgress?: (events: number) => void): Promise<void> => {
  const report = await verifyLog(to.read(0), onProgress === undefined ? {} : { onProgress })
  const [problem] = report.problems
  if (problem === undefined && sameHead(report.head, head)) return
  throw new CarillonError(
    'log-altered',
    `The copy is not what was copied: ${problem?.what ?? `it ends at revision ${report.head.revision}, not at ${head.revision}`}. Do not use it; the original is unchanged.`,
    { revision: problem?.revision ?? report.head.revision },
  )
}

/** The ticks of a log as they are; what is wrong with one is told by its revision. */
export async function* offeredByLog(log: CopiedLog): AsyncGenerator<OfferedTick> {
  for await (const tick of log.read(0))
    yield {
      tick,
      fault: (revision, what, cause) =>
        new CarillonError(
          'log-altered',
          `The log ${log.where ?? 'to be copied'} is not sound at revision ${revision}: ${what}. Nothing from there on was copied; run "carillon log verify".`,
          { revision },
          cause,
        ),
    }
}

/** A log that grew while it was read has a node on it, which would go on in the old place. */
export const assertUnmoved = async (from: CopiedLog, copied: Head): Promise<void> => {
  const now = await from.head()
  if (sameHead(now, copied)) return
  throw new CarillonError(
    'log-revision-conflict',
    `The log was written to while it was copied: it now ends at revision ${now.revision}, the copy at ${copied.revision}. Stop the node, and copy again; what is copied already is kept.`,
    { revision: now.revision },
  )
}

/** How far a copy has come. */
export type CopyProgress = {
  readonly onCopied?: (events: number) => void
  readonly onVerified?: (events: number) => void
}

/**
 * Copies one log into another, empty one, checks every hash and signature on the way and reads the copy back. No node may
 * run on either. A copy that was interrupted is gone on with.
 */
export const copyLog = async (
  from: CopiedLog,
  to: EventLog,
  { onCopied, onVerified }: CopyProgress = {},
): Promise<Head> => {
  const head = await appendAll(offeredByLog(from), to, onCopied)
  await assertUnmoved(from, head)
  await proveCopy(to, head, onVerified)
  return head
}

/** Imports an export into a log that is empty, or holds the first ticks of the same export, through its adapter. */
export const importInto = async (
  lines: AsyncIterable<string>,
  to: EventLog,
  { onCopied, onVerified }: CopyProgress = {},
): Promise<Head> => {
  const head = await appendAll(offeredByExport(lines), to, onCopied)
  if (head.revision > emptyHead.revision) await proveCopy(to, head, onVerified)
  return head
}
