/**
 * The oracle's side of both conversations. It tells what it knows to whoever asks, and signs for nothing else.
 */
import {
  CarillonError,
  commandsShown,
  defineResponder,
  type FlowBody,
  type FlowIo,
  type ShownTransaction,
} from 'carillon'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { FixCommand, showFixOf, type Fix, type FixOf } from './Fix.js'
import { oracleFlows, QueryC } from './protocol.js'
import { rateOn, RateSheet, sheetKey } from './RateSheet.js'
import type { Rate } from '../money/Rate.js'

/** The rate this oracle knows, announced or between what was. */
const known = function* (io: FlowIo, of: FixOf): FlowBody<Rate | undefined> {
  const sheet = yield* io.find(RateSheet, sheetKey(of))
  return sheet === undefined ? undefined : rateOn(sheet.data, of.tenor)
}

export const AnswerQuery = defineResponder({
  name: 'rates/AnswerQuery',
  respondsTo: oracleFlows.query,
  *run(io, session): FlowBody<void> {
    const { of } = yield* session.receive(QueryC)
    if (of.length === 0) throw new CarillonError('rates/empty-query', 'A query must ask for at least one rate.')
    const fixes: Fix[] = []
    for (const wanted of of) {
      const rate = yield* known(io, wanted)
      if (rate === undefined) {
        yield* session.send({ type: 'unknown', of: wanted })
        return
      }
      fixes.push({ of: wanted, rate })
    }
    yield* session.send({ type: 'known', fixes })
  },
})

/** The oracle vouches for fixes. Being shown anything else, it might be held to that too. */
const onlyFixes = (shown: ShownTransaction): Either<string, void> => {
  const others = shown.inputs.length + shown.references.length + shown.outputs.length
  if (others > 0) return left('it was shown states, which it has no business to see')
  return shown.commands.some(({ type }) => type !== FixCommand.type)
    ? left('it was shown a command that is no fix')
    : right(undefined)
}

export const SignFixes = defineResponder({
  name: 'rates/SignFixes',
  respondsTo: oracleFlows.sign,
  *run(io, session): FlowBody<void> {
    yield* io.signTearOff(session, FixCommand, function* (shown): FlowBody<Either<string, void>> {
      const visible = onlyFixes(shown)
      if (visible._tag === 'Left') return visible
      for (const { of, rate } of commandsShown(shown, FixCommand)) {
        const is = yield* known(io, of)
        if (is === undefined) return left(`it does not know ${showFixOf(of)}`)
        if (is !== rate) return left(`${showFixOf(of)} is ${is}, not ${rate}`)
      }
      return right(undefined)
    })
  },
})
