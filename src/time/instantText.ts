/**
 * Milliseconds written as an instant's text and read back. Instants that follow each other mostly fall on the same day,
 * so the calendar is asked once a day; the rest is arithmetic.
 */
const dayMs = 86_400_000

const padded = (width: number): readonly string[] =>
  Array.from({ length: 10 ** width }, (_, number) => String(number).padStart(width, '0'))
const twoDigits = padded(2)
const threeDigits = padded(3)

let writtenDay = Number.NaN
let writtenText = ''

/** The text of whole milliseconds within the years 0000 to 9999. */
export const instantText = (ms: number): string => {
  const day = Math.floor(ms / dayMs)
  if (day !== writtenDay) {
    writtenText = new Date(ms).toISOString().slice(0, 11)
    writtenDay = day
  }
  const rest = ms - day * dayMs
  const hours = twoDigits[Math.floor(rest / 3_600_000)]
  const minutes = twoDigits[Math.floor(rest / 60_000) % 60]
  const seconds = twoDigits[Math.floor(rest / 1_000) % 60]
  return `${writtenText}${hours}:${minutes}:${seconds}.${threeDigits[rest % 1_000]}Z`
}

let readDay = ''
let readDayMs = Number.NaN

const wholeLength = '2026-01-31T09:00:00.000Z'.length

/** The milliseconds of an instant's text; NaN for text that is none. */
export const instantMillis = (text: string): number => {
  if (text.length !== wholeLength) return Date.parse(text)
  const day = text.slice(0, 10)
  if (day !== readDay) {
    readDayMs = Date.parse(day)
    readDay = day
  }
  const number = (from: number): number => (text.charCodeAt(from) - 48) * 10 + (text.charCodeAt(from + 1) - 48)
  return (
    readDayMs +
    number(11) * 3_600_000 +
    number(14) * 60_000 +
    number(17) * 1_000 +
    (text.charCodeAt(20) - 48) * 100 +
    number(21)
  )
}
