/**
 * The oracle announces rates: they go onto its sheets, and from then on it answers and signs for them. What it has
 * announced it does not take back.
 */
import { CarillonError, defineCommand, defineFlow, type FlowBody, type StateAndRef } from 'carillon'
import * as t from 'io-ts'
import { FixC, showFixOf, type Fix } from './Fix.js'
import { RateSheet, sheetKey, type RateSheetData } from './RateSheet.js'

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
