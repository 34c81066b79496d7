/**
 * Rows in columns that fit a width. Columns marked flexible give way first, the widest most; then those marked spare
 * are left out. No line is broken, so a row stays a row for whoever reads it with grep; only where not even that fits, on
 * a terminal as narrow as a phone, each row becomes a few lines, a cell each.
 */
import { printable, type TextTone } from './Terminal.js'

export type PrintedColumn<R> = {
  readonly header: string
  readonly cell: (row: R) => string
  readonly align?: 'left' | 'right'
  /** Whether the column may be cut with an ellipsis when the width is short. */
  readonly flexible?: boolean
  /** Whether it may be left out when the width is short; the last such column goes first. */
  readonly spare?: boolean
  readonly tone?: (row: R) => TextTone | undefined
}

export type TableStyle = { readonly width: number; readonly tone: (tone: TextTone, text: string) => string }

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

type Cells<R> = {
  readonly rows: readonly R[]
  /** One text for each column of each row. */
  readonly texts: readonly (readonly string[])[]
}

type Used<R> = { readonly column: PrintedColumn<R>; readonly index: number }

/** How wide each column is, as far as they fit. */
const layOut = <R>(used: readonly Used<R>[], { texts }: Cells<R>, width: number): readonly number[] =>
  shrink(
    used.map(({ column, index }) =>
      texts.reduce((widest, row) => Math.max(widest, columnsOf(row[index] ?? '')), columnsOf(column.header)),
    ),
    used.map(({ column }) => column.flexible ?? false),
    width - gap.length * (used.length - 1),
  )

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1))

/** Each row in lines of their own, for a terminal on which no columns fit. */
const stack = <R>(used: readonly Used<R>[], { rows, texts }: Cells<R>, style: TableStyle): readonly string[] => {
  const labelWidth = Math.min(
    Math.max(...used.map(({ column }) => columnsOf(column.header))),
    Math.floor(style.width / 2) - gap.length,
  )
  return rows.flatMap((row, number) => [
    ...(number === 0 ? [] : ['']),
    ...used.flatMap(({ column, index }) => {
      const text = texts[number]?.[index] ?? ''
      if (text === '') return []
      const label = fit(column.header, labelWidth).padEnd(labelWidth)
      const shown = fit(text, Math.max(1, style.width - labelWidth - gap.length))
      const tone = column.tone?.(row)
      return [`${style.tone('dim', label)}${gap}${tone === undefined ? shown : style.tone(tone, shown)}`]
    }),
  ])
}

export const table = <R>(
  columns: readonly PrintedColumn<R>[],
  rows: readonly R[],
  style: TableStyle,
): readonly string[] => {
  const cells: Cells<R> = {
    rows,
    texts: rows.map((row) => columns.map((column) => printable(column.cell(row)))),
  }
  // A column in which nothing is written says nothing.
  let used: readonly Used<R>[] = columns
    .map((column, index) => ({ column, index }))
    .filter(({ index }) => cells.texts.some((row) => row[index] !== ''))
  let widths = layOut(used, cells, style.width)
  while (totalOf(widths) > style.width) {
    const spare = used.findLast(({ column }) => column.spare === true)
    if (spare === undefined) return stack(used, cells, style)
    used = used.filter((each) => each !== spare)
    widths = layOut(used, cells, style.width)
  }
  const line = (texts: readonly string[], tones: readonly (TextTone | undefined)[]): string =>
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
      .trimEnd()
  return [
    line(
      used.map(({ column }) => column.header),
      used.map(() => 'dim'),
    ),
    ...rows.map((row, number) =>
      line(
        used.map(({ index }) => cells.texts[number]?.[index] ?? ''),
        used.map(({ column }) => column.tone?.(row)),
      ),
    ),
  ]
}
