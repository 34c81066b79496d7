/**
 * One sweep, which the seeds call a block: bring the queues up to date, run the task queue within the budget, report
 * what was missed with what is left. It is rung by a slot whose time has come, and by the sweeper while a queue is not
 * empty. It is recorded in portions of bounded size, and whatever befalls it, there will be another.
 */
import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { CarillonError, defineFlow, NoInputC, plus, Refusal, type FlowBody, type FlowIo } from 'carillon'
import { inBooks, type Books } from '../Books.js'
import { commands } from '../contract.js'
import { done, type Done } from '../model/Refusal.js'
import { instantOf, slotOf, unixTime } from '../model/slots.js'
import { sweepRef, theTaskQueue } from '../states.js'
import { Portion, purseFor, type Purse, type Remedy } from '../sweeping/Portion.js'
import { reportMissed, runTaskQueue, updateQueues } from '../sweeping/queues.js'

/** Sweeps keep their distance, or the slots that ring together after an outage would each spend a whole budget. */
const mayBegin = function* (books: Books): FlowBody<boolean> {
  const { lastTimeSlot, sweptAt, nextSweepAt } = yield* books.sweeper()
  const settings = yield* books.settings()
  if (slotOf(books.now, settings) > lastTimeSlot) return true
  const isCalled = nextSweepAt !== null && unixTime(nextSweepAt) <= books.now
  return isCalled || unixTime(sweptAt) + settings.sweepSeconds <= books.now
}

const isEverythingDone = function* (books: Books): FlowBody<boolean> {
  const { slotSeconds } = yield* books.settings()
  const { missedFirst, missedNext, lastMissedSlot, lastTimeSlot } = yield* books.sweeper()
  const queue = yield* books.queues.get(theTaskQueue)
  return queue === undefined && missedFirst === missedNext && lastMissedSlot + slotSeconds >= lastTimeSlot
}

type Plan = { readonly left: Purse | undefined; readonly oneByOne: boolean; readonly remedy: Remedy | undefined }
type Swept = { readonly swept: boolean; readonly left: Purse; readonly more: boolean }

const work = function* (books: Books, { left, oneByOne, remedy }: Plan): FlowBody<Either<never, Swept>> {
  const { stopped, settings } = yield* books.registry()
  const purse = left ?? purseFor(settings)
  if (stopped || (left === undefined && !(yield* mayBegin(books))))
    return right({ swept: false, left: purse, more: false })
  const portion = new Portion(books, purse, oneByOne ? 1 : Infinity, remedy)
  yield* updateQueues(portion)
  yield* runTaskQueue(portion)
  yield* reportMissed(portion)
  const sweptAt = instantOf(books.now)
  const nextSweepAt = (yield* isEverythingDone(books)) ? null : plus(sweptAt, { seconds: settings.sweepSeconds })
  yield* books.setSweeper({ sweptAt, nextSweepAt, failure: null })
  // What was put off is for the next sweep, after all others.
  return right({ swept: true, left: portion.purse, more: portion.isFull && remedy?.kind !== 'defer' })
}

/** What the next try does about an error. None when there is nothing left to try. */
const afterTrouble = (plan: Plan, { code, message }: CarillonError): Plan | undefined => {
  if (!plan.oneByOne) return { ...plan, oneByOne: true }
  const error = message.includes('another was faster') || code === 'state-locked' ? 'defer' : 'fail'
  if (plan.remedy === undefined) return { ...plan, remedy: { kind: error, error: code } }
  return plan.remedy.kind === 'fail' ? { ...plan, remedy: { kind: 'drop', error: code } } : undefined
}

/** Others write the books, too; a sweep does not wait for them for long. */
const retry = { attempts: 6 }

const sweep = function* (io: FlowIo): FlowBody<boolean> {
  let plan: Plan = { left: undefined, oneByOne: false, remedy: undefined }
  let hasSwept = false
  for (;;) {
    const tried = yield* io.attempt(inBooks(io, commands.sweep, (books) => work(books, plan), { retry }))
    if (isLeft(tried)) {
      const next = afterTrouble(plan, tried.left)
      if (next === undefined) throw tried.left
      plan = next
      continue
    }
    // A sweep asks for nothing that could be refused.
    if (tried.right instanceof Refusal) return hasSwept
    const { swept, left, more } = tried.right
    hasSwept ||= swept
    if (!more) return hasSwept
    // The one that was in the way is out of it.
    plan = { left, oneByOne: plan.oneByOne && plan.remedy === undefined, remedy: undefined }
  }
}

const wordsFor = (error: unknown): string => {
  const words = error instanceof CarillonError ? `${error.code}: ${error.message}` : String(error)
  return words.slice(0, 300)
}

/** Makes a failure known and has the next sweep try again. */
const noteFailure = (io: FlowIo, thrown: unknown): FlowBody<unknown> =>
  inBooks(io, commands.sweep, function* (books): FlowBody<Either<never, Done>> {
    const at = instantOf(books.now)
    const error = wordsFor(thrown)
    const nextSweepAt = plus(at, { seconds: (yield* books.settings()).sweepSeconds })
    yield* books.setSweeper({ failure: { at, error }, nextSweepAt })
    books.tell({ event: 'SweepFailed', error })
    return right(done)
  })

export const Sweep = defineFlow({
  name: sweepRef.name,
  schedulable: true,
  input: NoInputC,
  *run(io): FlowBody<boolean> {
    try {
      return yield* sweep(io)
    } catch (error) {
      yield* noteFailure(io, error)
      return false
    }
  },
})
