/**
 * Changes logs by chance and asks both verifiers about each. The same seed gives the same changes, and each case can be
 * made again by itself.
 */
import type { Checkpoint } from '../../src/log/Checkpoint.js'
import type { PublicKey } from '../../src/identity/PublicKey.js'
import { Chance } from '../../src/testing/simulation/Chance.js'
import { changeBytes } from './changes/changeBytes.js'
import { changeEvents } from './changes/changeEvents.js'
import { changeTicks } from './changes/changeTicks.js'
import { chooseCheckpoints } from './changes/chooseCheckpoints.js'
import { mend } from './changes/mend.js'
import { compareVerifiers, type Question } from './compareVerifiers.js'
import { bytesOfFile, type LogFile } from './LogFile.js'
import { recordedFiles, recordedLog } from './recordedLogs.js'
import { writeLog } from './writeLog.js'
import { keyNamed } from './WrittenParty.js'

export type CampaignReport = {
  readonly cases: number
  /** Cases in which something was found, by the kinds of what was found. */
  readonly found: ReadonlyMap<string, number>
  /** A description of each case in which the two did not say the same. */
  readonly disagreements: readonly string[]
}

type Case = { readonly question: Question; readonly what: readonly string[] }

const mostDisagreements = 10

const baseLog = (chance: Chance, recorded: readonly (readonly [string, LogFile])[]): readonly [string, LogFile] => {
  const kind = chance.below(4)
  if (kind < 2) return [kind === 0 ? 'a sound log' : 'a log with forged events', writeLog(chance, kind === 1)]
  const [name, log] = chance.pick(recorded)
  const length = chance.oneIn(60) ? log.ticks.length : chance.between(1, 6)
  return [`the first ${length} ticks of ${name}`, { ...log, ticks: log.ticks.slice(0, length) }]
}

const changeLog = (chance: Chance, log: LogFile, what: string[]): LogFile => {
  let changed = log
  const changes = chance.pick([0, 1, 1, 1, 2, 3])
  for (let count = 0; count < changes; count++) {
    const done = chance.pick([changeEvents, changeEvents, changeTicks])(chance, changed)
    what.push(done.what)
    changed = done.log
  }
  if (changes === 0 || chance.oneIn(3)) return changed
  const mended = mend(chance, changed)
  what.push(mended.what)
  return mended.log
}

const makeCase = (seed: string, number: number, recorded: readonly (readonly [string, LogFile])[]): Case => {
  const chance = new Chance(`${seed} ${number}`)
  const [name, log] = baseLog(chance, recorded)
  const what = [name]
  let bytes = bytesOfFile(changeLog(chance, log, what))
  if (what.length === 1 || chance.oneIn(8)) {
    const done = changeBytes(chance, bytes)
    what.push(done.what)
    bytes = done.log
  }
  const checkpoints: readonly Checkpoint[] = chance.oneIn(4)
    ? chooseCheckpoints(chance, log, () => writeLog(chance, false))
    : []
  const by: PublicKey | undefined = chance.oneIn(8)
    ? chance.pick([keyNamed('forger'), ...log.ticks.map(({ signer }) => signer.key)]).publicKey
    : undefined
  if (checkpoints.length > 0) what.push(`checkpoints ${JSON.stringify(checkpoints)}`)
  if (by !== undefined) what.push(`expected key ${by}`)
  const chunkBytes = chance.pick([1_000, 65_536, 65_536])
  const vouches = chance.oneIn(4)
  return { question: { bytes, chunkBytes, vouches, checkpoints, ...(by === undefined ? {} : { by }) }, what }
}

const kindsOf = (answer: readonly string[]): string =>
  [...new Set(answer.slice(1).map((line) => line.split(' ')[0]))].join(', ') || 'nothing'

const tried = async (question: Question): ReturnType<typeof compareVerifiers> => {
  try {
    return await compareVerifiers(question)
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { answer: [], disagreement: { verifier: [], product: [`one of them failed: ${text}`] } }
  }
}

export type Campaign = {
  readonly seed: string
  readonly count: number
  /** The case to begin with. Default 0. */
  readonly from?: number
  readonly onCase?: (number: number, question: Question) => void
}

export const runCampaign = async ({ seed, count, from = 0, onCase }: Campaign): Promise<CampaignReport> => {
  const recorded = recordedFiles().map((file) => [file, recordedLog(file)] as const)
  const found = new Map<string, number>()
  const disagreements: string[] = []
  let cases = 0
  for (let number = from; number < from + count && disagreements.length < mostDisagreements; number++) {
    const { question, what } = makeCase(seed, number, recorded)
    onCase?.(number, question)
    const { answer, disagreement } = await tried(question)
    cases += 1
    const kinds = kindsOf(answer)
    found.set(kinds, (found.get(kinds) ?? 0) + 1)
    if (disagreement === undefined) continue
    const { verifier, product } = disagreement
    disagreements.push(
      [
        `seed ${seed}, case ${number}:`,
        ...what.map((line) => `  changed:  ${line}`),
        ...verifier.filter((line) => !product.includes(line)).map((line) => `  verifier alone: ${line}`),
        ...product.filter((line) => !verifier.includes(line)).map((line) => `  product alone:  ${line}`),
        `  verifier: ${verifier.join('; ')}`,
        `  product:  ${product.join('; ')}`,
      ].join('\n'),
    )
  }
  return { cases, found, disagreements }
}
