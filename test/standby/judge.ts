/**
 * What must be true of the log of a node whose leaders were killed and stopped: nothing acknowledged is lost, every
 * activity was started once, every chain is whole.
 */
import { decodeEvent, openLog } from '../../src/entries/logs.js'
import { assertFollows } from '../../src/storage/assertFollows.js'
import { emptyHead, headAfter } from '../../src/log/Tick.js'

export type Verdict = {
  readonly problems: readonly string[]
  readonly events: number
  readonly starts: number
  readonly terms: number
}

export const judge = async (address: string, acknowledged: readonly string[]): Promise<Verdict> => {
  const problems: string[] = []
  const started = new Map<string, number>()
  const links = new Map<string, number>()
  const notes = new Set<string>()
  const reasons: string[] = []
  let term = 0
  let head = emptyHead
  const log = await openLog(address)
  for await (const tick of log.read(0)) {
    assertFollows(head, tick)
    head = headAfter(tick)
    for (const [index, line] of tick.events.entries()) {
      const event = decodeEvent(line, tick.firstRevision + index)
      if (event.type === 'NodeStarted') {
        if (event.term !== term + 1) problems.push(`term ${event.term} follows term ${term}`)
        term = event.term
        reasons.push(event.reason)
      }
      if (event.type === 'FlowStarted' && event.origin.kind === 'activity') {
        const { ref, due, attempt, cause } = event.origin
        const occurrence = `${JSON.stringify(ref)} at ${due}`
        started.set(occurrence, (started.get(occurrence) ?? 0) + 1)
        if (attempt > 1) problems.push(`attempt ${attempt} (${cause}) of ${occurrence}`)
      }
      if (event.type === 'TransactionRecorded')
        for (const [, name = '', link = ''] of line.matchAll(/"link":(\d+),"name":"([^"]+)"/g)) {
          const [text, number] = [link, Number(name)]
          const expected = links.has(text) ? (links.get(text) ?? 0) + 1 : 0
          if (number !== expected) problems.push(`${text} has link ${number} where ${expected} was to come`)
          links.set(text, number)
        }
      if (event.type === 'TransactionRecorded')
        for (const [, text = ''] of line.matchAll(/"text":"([^"]+)"/g)) notes.add(text)
    }
  }
  await log.close()
  for (const [occurrence, count] of started) if (count !== 1) problems.push(`${occurrence} was started ${count} times`)
  for (const text of acknowledged) if (!notes.has(text)) problems.push(`the acknowledged note ${text} is lost`)
  const total = [...links.values()].reduce((sum, link) => sum + link, 0)
  if (total !== started.size) problems.push(`${started.size} activities were started, ${total} links were forged`)
  if (reasons.slice(1).some((reason) => reason !== 'takeover'))
    problems.push(`not all were takeovers: ${reasons.join()}`)
  return { problems, events: head.revision + 1, starts: started.size, terms: term }
}
