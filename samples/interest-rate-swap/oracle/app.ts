/**
 * The app of an oracle, which knows nothing of swaps. It announces rates, which it does not take back; it tells
 * what it knows to whoever asks, and signs for nothing else.
 */
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import {
  CarillonError,
  commandsShown,
  defineApp,
  defineCommand,
  defineFlow,
  defineResponder,
  type FlowBody,
  type FlowIo,
  type ShownTransaction,
  type StateAndRef,
} from 'carillon'
import type { Rate } from '../money.js'
import { FixC, FixCommand, oracleFlows, QueryC, showFixOf, type Fix, type FixOf } from './Fix.js'
import { rateOn, RateSheet, sheetKey, type RateSheetData } from './RateSheet.js'

export const AnnounceCommand = defineCommand({ type: 'rates/Announce' })

/** Sheets in one transaction. */
const sheetsAtATime = 50

const withFix = (sheet: RateSheetData, { of, rate }: Fix): RateSheetData => {
  const known = sheet.rates.find(({ tenor }) => tenor === of.tenor)
  if (known === undefined) return { ...sheet, rates: [...sheet.rates, { tenor: of.tenor, rate }] }
  if (known.rate === rate) return sheet
  throw new CarillonError(
    'rates/already-announced',
    `${showFixOf(of)} was announced as ${known.rate} and cannot become ${rate}: others may have relied on it.`,
    { index: of.index, day: of.day, tenor: of.tenor },
  )
}

/**
 * Rates go onto the oracle's sheets, and from then on it answers and signs for them. What it has announced it does not
 * take back.
 */
export const Announce = defineFlow({
  name: 'rates/Announce',
  input: t.strict({ fixes: t.readonlyArray(FixC) }),
  *run(io, { fixes }): FlowBody<number> {
    const bySheet = new Map<string, Fix[]>()
    for (const fix of fixes) {
      const key = sheetKey(fix.of)
      bySheet.set(key, [...(bySheet.get(key) ?? []), fix])
    }
    const keys = [...bySheet.keys()]
    for (let done = 0; done < keys.length; done += sheetsAtATime) {
      const sheets: { readonly known: StateAndRef<RateSheetData> | undefined; readonly sheet: RateSheetData }[] = []
      for (const key of keys.slice(done, done + sheetsAtATime)) {
        const news = bySheet.get(key) ?? []
        const [first] = news
        if (first === undefined) continue
        const known = yield* io.find(RateSheet, key)
        const blank: RateSheetData = { oracle: io.me, index: first.of.index, day: first.of.day, rates: [] }
        sheets.push({ known, sheet: news.reduce(withFix, known?.data ?? blank) })
      }
      yield* io.finalise((tx) => {
        for (const { known, sheet } of sheets) {
          if (known !== undefined) tx.consume(known)
          tx.produce(RateSheet, sheet)
        }
        return tx.command(AnnounceCommand, [io.me])
      })
    }
    return fixes.length
  },
})

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

export const oracleApp = defineApp({
  name: 'rates-oracle',
  states: [RateSheet],
  flows: [Announce, AnswerQuery, SignFixes],
})
