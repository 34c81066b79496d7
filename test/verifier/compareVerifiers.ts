/**
 * Asks the product and the independent verifier about the same file, and tells where they disagree.
 */
import { CarillonError } from '../../src/errors/CarillonError.js'
import type { Checkpoint } from '../../src/log/Checkpoint.js'
import type { PublicKey } from '../../src/identity/PublicKey.js'
import { historyLimits } from '../../src/history/limits.js'
import type { EncodedTick } from '../../src/log/Tick.js'
import { inThreads } from '../../src/history/inThreads.js'
import { LogChecker } from '../../src/history/LogChecker.js'
import type { FoundProblem, LogProblem } from '../../src/history/LogProblem.js'
import { readLines } from '../../src/history/readLines.js'
import { readExport } from '../../src/history/readExport.js'
import { verifyLog } from '../../src/history/verifyLog.js'
import { VouchingThreads } from '../../src/history/VouchingThreads.js'
import { verifyExport } from './verifyExport.mjs'

export type Question = {
  readonly bytes: Buffer
  /** How much is read at a time. */
  readonly chunkBytes: number
  /** Whether the product is asked a second time, in the way in which it checks long logs. */
  readonly vouches: boolean
  readonly checkpoints: readonly Checkpoint[]
  readonly by?: PublicKey
}

/** What a verifier says, one line for each thing, in an order of its own. */
type Answer = readonly string[]

export type Disagreement = { readonly verifier: Answer; readonly product: Answer }

const findingText = (kind: string, revision: number, until: number | undefined): string =>
  until === undefined || until <= revision ? `${kind} ${revision}` : `${kind} ${revision}-${until}`

const answerOf = (ticks: number, events: number, head: string, findings: readonly string[]): Answer => [
  `${ticks} ticks, ${events} events, head ${head}`,
  ...[...findings].sort(),
]

const refused: Answer = ['refused: another format']

async function* chunksOf({ bytes, chunkBytes }: Question): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield await Promise.resolve(bytes.subarray(at, at + chunkBytes))
}

/** As `carillon log verify --export` reads it. */
async function* ticksOf(question: Question): AsyncGenerator<EncodedTick> {
  for await (const { tick } of readExport(readLines(chunksOf(question), 'the file'))) yield tick
}

const textOf = ({ kind, revision, untilRevision }: LogProblem | FoundProblem): string =>
  findingText(kind, revision, untilRevision)

const isOtherFormat = (error: unknown): boolean =>
  error instanceof CarillonError && (error.code === 'log-too-new' || error.code === 'log-too-old')

const askProduct = async (question: Question): Promise<Answer> => {
  const { checkpoints, by } = question
  try {
    const report = await verifyLog(ticksOf(question), { checkpoints, ...(by === undefined ? {} : { by }) })
    return answerOf(report.ticks, report.events, report.head.hash, report.problems.map(textOf))
  } catch (error) {
    if (isOtherFormat(error)) return refused
    throw error
  }
}

/** As the product checks long logs: each tick is first looked at by itself. Undefined where the file cannot be read. */
const askVouching = async (question: Question): Promise<Answer | undefined> => {
  const { checkpoints, by } = question
  const checker = new LogChecker({ checkpoints, ...(by === undefined ? {} : { by }) })
  const problems: FoundProblem[] = []
  try {
    for await (const { tick, vouch } of inThreads(ticksOf(question), 0, () => new VouchingThreads(0)))
      problems.push(...checker.check(tick, vouch).problems)
  } catch {
    return undefined
  }
  problems.push(...checker.end())
  const { ticks, events } = checker.counts
  return answerOf(ticks, events, checker.head.hash, problems.slice(0, historyLimits.problemsReported).map(textOf))
}

const askVerifier = ({ bytes, checkpoints, by }: Question): Answer => {
  try {
    const report = verifyExport(bytes, { checkpoints, ...(by === undefined ? {} : { by }) })
    const findings = report.findings.map(({ kind, revision, until }) => findingText(kind, revision, until))
    return answerOf(report.ticks, report.events, report.head, findings)
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('The file has format')) return refused
    throw error
  }
}

/** What the independent verifier says, or where the two disagree. */
export const compareVerifiers = async (
  question: Question,
): Promise<{ readonly answer: Answer; readonly disagreement?: Disagreement }> => {
  const verifier = askVerifier(question)
  const product = await askProduct(question)
  const vouching = question.vouches ? ((await askVouching(question)) ?? product) : product
  const differs = [product, vouching].find((answer) => answer.join('\n') !== verifier.join('\n'))
  return { answer: verifier, ...(differs === undefined ? {} : { disagreement: { verifier, product: differs } }) }
}
