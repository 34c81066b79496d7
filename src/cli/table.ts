/**
 * Rows in columns that fit a width. Columns marked flexible give way first, the widest most; no line is ever
 * broken, so a row stays a row for whoever reads it with grep.
 */
import { printable, type Tone } from './Terminal.js'

export type Column<R> = {
  readonly header: string
  readonly cell: (row: R) => string
  readonly align?: 'left' | 'right'
  /** Whether the column may be cut with an ellipsis when the width is short. */
  readonly flexible?: boolean
  readonly tone?: (row: R) => Tone | undefined
}

export type TableStyle = { readonly width: number; readonly tone: (tone: Tone, text: string) => string }

const gap = '  '
const narrowest = 8

// East Asian wide and full-width ranges, and pictures.
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u

/** How many columns of a terminal a text takes. */
export const columnsOf = (text: string): number => {
  let columns = 0
  for (const character of text) columns += wide.test(character) ? 2 : /\p{M}/u.test(character) ? 0 : 1
  return columns
}

/** A text cut to a width, with an ellipsis where something is missing. */
export const fit = (text: string, width: number): string => {
  if (columnsOf(text) <= width) return text
  let cut = ''
  let columns = 0
  for (const character of text) {
    columns += columnsOf(character)
    if (columns > width - 1) break
    cut += character
  }
  return `${cut}…`
}

/** Takes columns from the widest flexible ones until the rest fits or none can give any more. */
const shrink = (widths: readonly number[], flexible: readonly boolean[], available: number): readonly number[] => {
  const shrunk = [...widths]
  for (let excess = shrunk.reduce((sum, width) => sum + width, 0) - available; excess > 0; excess -= 1) {
    let widest = -1
    shrunk.forEach((width, index) => {
      if (flexible[index] === true && width > narrowest && width > (shrunk[widest] ?? 0)) widest = index
    })
    const width = shrunk[widest]
    if (width === undefined) return shrunk
    shrunk[widest] = width - 1
  }
  return shrunk
}

export const table = <R>(columns: readonly Column<R>[], rows: readonly R[], style: TableStyle): readonly string[] => {
  const cells = rows.map((row) => columns.map((column) => printable(column.cell(row))))
  // A column in which nothing is written says nothing.
  const used = columns
    .map((column, index) => ({ column, index }))
    .filter(({ index }) => cells.some((row) => row[index] !== ''))
  const natural = used.map(({ column, index }) =>
    cells.reduce((widest, row) => Math.max(widest, columnsOf(row[index] ?? '')), columnsOf(column.header)),
  )
  const widths = shrink(
    natural,
    used.map(({ column }) => column.flexible ?? false),
    style.width - gap.length * (used.length - 1),
  )
  const line = (texts: readonly string[], tones: readonly (Tone | undefined)[]): string =>
    texts
      .map((text, position) => {
        const width = widths[position] ?? 0
        const shown = fit(text, width)
        const tone = tones[position]
        const toned = tone === undefined ? shown : style.tone(tone, shown)
        const padding = ' '.repeat(Math.max(0, width - columnsOf(shown)))
        if (used[position]?.column.align === 'right') return `${padding}${toned}`
        return position === texts.length - 1 ? toned : `${toned}${padding}`
      })
      .join(gap)
  return [
    line(
      used.map(({ column }) => column.header),
      used.map(() => 'dim'),
    ),
    ...rows.map((row, number) =>
      line(
        used.map(({ index }) => cells[number]?.[index] ?? ''),
        used.map(({ column }) => column.tone?.(row)),
      ),
    ),
  ]
}
