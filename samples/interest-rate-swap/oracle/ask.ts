/**
 * The asking side: what a bank's flows say to an oracle. They are sub-flows, so that the oracle answers them the same
 * way whoever's flow they are a part of.
 */
import { CarillonError, defineFlow, IntegerC, PartyC, type FlowBody, type Session } from 'carillon'
import * as t from 'io-ts'
import { Exact, RateC, type Rate } from '../money.js'
import { AnswerC, FixOfC, oracleFlows, sameFixOf, showFixOf, type Answer, type Fix, type FixOf } from './Fix.js'

export const Query = defineFlow({
  name: oracleFlows.query,
  input: t.strict({ oracle: PartyC, of: t.readonlyArray(FixOfC) }),
  *run(io, { oracle, of }): FlowBody<Answer> {
    const session = yield* io.initiate(oracle)
    const answer = yield* session.sendAndReceive({ of }, AnswerC)
    yield* session.close()
    const isToThePoint =
      answer.type === 'unknown' ||
      (answer.fixes.length === of.length && answer.fixes.every((fix, index) => sameFixOf(fix.of, of[index] ?? fix.of)))
    if (isToThePoint) return answer
    throw new CarillonError('rates/other-answer', `${oracle.name} answered another question than it was asked.`, {
      oracle: oracle.name,
    })
  },
})

/** Opens the conversation in which the oracle signs; it goes on inside `finalise`. */
export const AskToSign = defineFlow({
  name: oracleFlows.sign,
  input: t.strict({ oracle: PartyC }),
  *run(io, { oracle }): FlowBody<Session> {
    return yield* io.initiate(oracle)
  },
})

const PlausibleC = t.union([t.null, t.strict({ rate: RateC, within: RateC })])
type Plausible = t.TypeOf<typeof PlausibleC>

const distance = (a: Rate, b: Rate) => new Exact(a).minus(b).abs()

const assertPlausible = (fix: Fix, plausible: Plausible): void => {
  if (plausible === null || distance(fix.rate, plausible.rate).lte(plausible.within)) return
  const beyond = distance(fix.rate, plausible.rate).toString()
  throw new CarillonError(
    'rates/out-of-range',
    `Fix out of range by ${beyond}: ${showFixOf(fix.of)} is ${fix.rate}, expected ${plausible.rate} give or take ${plausible.within}.`,
    { ...fix.of, rate: fix.rate, beyond },
  )
}

/** A wait is cut into so many looks, none closer together than a minute nor further apart than a quarter of an hour. */
const looks = 12
const closestMs = 60_000
const farthestMs = 900_000

/** One rate, waiting for it to be announced as long as the tolerance goes, and no longer. */
export const FetchFix = defineFlow({
  name: 'rates/FetchFix',
  input: t.strict({ oracle: PartyC, of: FixOfC, toleranceMs: IntegerC, plausible: PlausibleC }),
  *run(io, { oracle, of, toleranceMs, plausible }): FlowBody<Fix> {
    const everyMs = Math.min(farthestMs, Math.max(closestMs, Math.ceil(toleranceMs / looks)))
    for (let waitedMs = 0; ;) {
      const answer = yield* io.subFlow(Query, { oracle, of: [of] })
      const [fix] = answer.type === 'known' ? answer.fixes : []
      if (fix !== undefined) {
        assertPlausible(fix, plausible)
        return fix
      }
      if (waitedMs >= toleranceMs) throw notAnnounced(oracle.name, of, waitedMs)
      const waitMs = Math.min(everyMs, toleranceMs - waitedMs)
      yield* io.progress(`waiting for ${showFixOf(of)}`)
      yield* io.sleep({ milliseconds: waitMs })
      waitedMs += waitMs
    }
  },
})

const notAnnounced = (oracle: string, of: FixOf, waitedMs: number): CarillonError =>
  new CarillonError(
    'rates/not-announced',
    `${oracle} has not announced ${showFixOf(of)} within ${waitedMs / 60_000} minutes. When it has, start the fixing again: carillon activity retry, or a restart of the node.`,
    { oracle, index: of.index, day: of.day, tenor: of.tenor, waitedMs },
  )
