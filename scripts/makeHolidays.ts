/**
 * Writes src/time/calendars/holidays.ts: the bank holidays of each financial centre, computed by date-holidays and
 * put right where that library is known to be wrong. A ledger must find the same business days again in ten years,
 * so the days are part of the release and not of whatever version of a library is installed.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import Holidays from 'date-holidays'
import { format, resolveConfig } from 'prettier'

const firstYear = 2000
const lastYear = 2099
const target = 'src/time/calendars/holidays.ts'

type Holiday = ReturnType<Holidays['getHolidays']>[number]
type Correction = { readonly add: readonly string[]; readonly remove: readonly string[] }
type Centre = {
  readonly name: string
  readonly source: Holidays
  readonly isClosed: (day: Holiday) => boolean
  readonly correct: Correction
}

const weekdayOf = (date: string): number => new Date(`${date}T00:00:00Z`).getUTCDay()
const dateOf = (holiday: Holiday): string => holiday.date.slice(0, 10)

const targetDays = new Holidays()
for (const rule of ['01-01', 'easter -2', 'easter 1', '05-01', '12-25', '12-26'])
  targetDays.setHoliday(rule, { name: rule, type: 'public' })

const centres: readonly Centre[] = [
  {
    name: 'London',
    source: new Holidays('GB', 'ENG'),
    isClosed: ({ type }) => type === 'public',
    correct: {
      // Golden Jubilee, royal wedding, Diamond Jubilee: the spring holiday moved, and a day was added.
      add: ['2002-06-03', '2002-06-04', '2011-04-29', '2012-06-04', '2012-06-05'],
      remove: ['2002-05-27', '2012-05-28'],
    },
  },
  {
    name: 'NewYork',
    source: new Holidays('US'),
    // The Federal Reserve moves a holiday from Sunday to Monday, but opens on the Friday before one on Saturday.
    // The library calls the Monday after a Veterans Day on Sunday a bank holiday, and that is what it is.
    isClosed: ({ type, substitute = false, ...day }) =>
      (type === 'public' || (type === 'bank' && substitute)) && !(substitute && weekdayOf(day.date.slice(0, 10)) === 5),
    correct: { add: [], remove: [] },
  },
  {
    // TARGET, the euro's settlement system; these six days since 2002.
    name: 'TARGET',
    source: targetDays,
    isClosed: () => true,
    correct: { add: ['2001-12-31'], remove: [] },
  },
]

const isWeekend = (date: string): boolean => weekdayOf(date) % 6 === 0

const daysOf = ({ source, isClosed, correct }: Centre, year: number): readonly string[] => {
  const computed = source.getHolidays(year).filter(isClosed).map(dateOf)
  const corrected = [...computed, ...correct.add].filter((date) => !correct.remove.includes(date))
  const ofYear = corrected.filter((date) => date.startsWith(String(year)) && !isWeekend(date))
  return [...new Set(ofYear)].sort().map((date) => date.slice(5).replace('-', ''))
}

const years = Array.from({ length: lastYear - firstYear + 1 }, (_, index) => firstYear + index)

/** The table as it should be, for the spec that compares it with the one in the repository. */
export const holidaysSource = async (): Promise<string> => {
  const { version } = JSON.parse(readFileSync('node_modules/date-holidays/package.json', 'utf8')) as { version: string }
  const tables = centres.map(
    (centre) =>
      `  ${centre.name}: [\n${years.map((year) => `'${daysOf(centre, year).join(' ')}', // ${year}\n`).join('')}],`,
  )
  const source = `/**
 * Weekdays on which each financial centre is closed, a line a year from ${firstYear}, each day as month and day. Made by
 * scripts/makeHolidays.ts from date-holidays ${version}; change that script, not this file.
 */
export const firstYear = ${firstYear}
export const lastYear = ${lastYear}

/** Where the days come from; recorded wherever a date was rolled by them. */
export const holidayDataVersion = 'date-holidays ${version}'

export const holidays = {
${tables.join('\n')}
} as const
`
  return format(source, { ...(await resolveConfig(target)), parser: 'typescript' })
}

if (process.argv[1]?.endsWith('makeHolidays.ts') === true) writeFileSync(target, await holidaysSource())
