/**
 * A tenor: how long something runs, as markets write it: `ON` (overnight), `3M`, `10Y`.
 */
import * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { addDays, addMonths } from '../dates.js'
import type { LocalDate } from '../LocalTime.js'
import { rollDate, type BusinessCalendar, type Roll } from './BusinessCalendar.js'

/** A span in the words of the market. */
export interface TenorBrand {
  readonly Tenor: unique symbol
}
const pattern = /^(?:ON|([1-9]\d{0,3})([DWMY]))$/

/** Codec of a tenor. */
export const TenorC = t.brand(t.string, (text): text is t.Branded<string, TenorBrand> => pattern.test(text), 'Tenor')
/** How long something runs: `ON`, or a count of days, weeks, months or years, such as `3M`. */
export type Tenor = t.TypeOf<typeof TenorC>

/** A tenor from text, or `recurrence-invalid`. */
export const tenor = (text: string): Tenor => {
  if (TenorC.is(text)) return text
  throw new CarillonError('recurrence-invalid', `"${text}" is not a tenor. Write it as ON, 7D, 2W, 3M or 10Y.`, {
    text,
  })
}

/** The day on which something that runs so long from a date ends, before any roll. */
export const addTenor = (date: LocalDate, length: Tenor): LocalDate => {
  const [, digits = '1', unit = 'D'] = pattern.exec(length) ?? []
  const count = Number(digits)
  switch (unit) {
    case 'W':
      return addDays(date, 7 * count)
    case 'M':
      return addMonths(date, count)
    case 'Y':
      return addMonths(date, 12 * count)
    default:
      return addDays(date, count)
  }
}

/** The business day on which something that runs so long from a date matures. */
export const maturityOf = (
  length: Tenor,
  from: LocalDate,
  calendar: BusinessCalendar,
  roll: Roll = 'modified-following',
): LocalDate => rollDate(calendar, roll, addTenor(from, length))
