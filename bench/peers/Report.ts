/**
 * What was measured of all systems in one go, and the table of it.
 */
import type { Machine } from '../machine.js'
import type { Workload } from './Workload.js'

/** A figure by name, or the sentence that says why there is none. */
export type Cell =
  | {
      readonly figures: Readonly<Record<string, number>>
      /** What a sync to the disk took right before: a machine is seldom as quiet for one system as for the next. */
      readonly fdatasyncP50Ms: number
    }
  | { readonly failure: string }

export type Row = {
  readonly title: string
  readonly versions: Readonly<Record<string, string>>
  readonly node: string
  readonly settings: readonly string[]
  readonly cells: Readonly<Record<string, Cell>>
}

export type Report = {
  readonly command: string
  readonly quick: boolean
  readonly machine: Machine
  readonly seed: string
  readonly workloads: Readonly<Record<string, string>>
  readonly rows: readonly Row[]
}

/** A report with what a later one has measured put in its place; systems keep the order of the first. */
export const addedTo = (earlier: Report, later: Report): Report => {
  const laterOf = (title: string): Row | undefined => later.rows.find((row) => row.title === title)
  const isNew = ({ title }: Row): boolean => !earlier.rows.some((row) => row.title === title)
  const merged = earlier.rows.map((row): Row => {
    const now = laterOf(row.title)
    if (now === undefined) return row
    const known = Object.keys(now.versions).length > 0 || now.settings.length > 0 ? now : row
    return { ...known, cells: { ...row.cells, ...now.cells } }
  })
  return {
    ...later,
    command: `${earlier.command}; ${later.command}`,
    workloads: { ...earlier.workloads, ...later.workloads },
    rows: [...merged, ...later.rows.filter(isNew)],
  }
}

const shown = (value: number): string => {
  if (Number.isNaN(value)) return '?'
  if (value >= 10 || Number.isInteger(value)) return Math.round(value).toLocaleString('en')
  return value.toPrecision(2)
}

const cellText = (workload: Workload, cell: Cell | undefined): string => {
  if (cell === undefined) return ''
  if ('failure' in cell) return '–'
  return Object.keys(workload.figures)
    .map((figure) => shown(cell.figures[figure] ?? Number.NaN))
    .join(' / ')
}

const heading = ({ name, figures }: Workload): string => {
  const units = [...new Set(Object.values(figures))].filter((unit) => unit !== '')
  return `${name}: ${Object.keys(figures).join(' / ')}${units.length === 0 ? '' : `, ${units.join(' and ')}`}`
}

const nameOf = ({ title, versions }: Row): string => [title, Object.values(versions)[0] ?? ''].join(' ').trim()

/** As Markdown, which a terminal shows well enough: a line for each workload, a column for each system. */
export const tableOf = (report: Report, workloads: readonly Workload[]): string => {
  const lines = [
    ['workload', ...report.rows.map(nameOf)],
    ...workloads
      .filter(({ name }) => Object.hasOwn(report.workloads, name))
      .map((workload) => [
        heading(workload),
        ...report.rows.map(({ cells }) => cellText(workload, cells[workload.name])),
      ]),
  ]
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const text = lines.map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [text[0], rule, ...text.slice(1)].join('\n')
}

/** Every dash in the table, with its reason; a reason that several share is told once. */
export const failuresOf = (report: Report): readonly string[] =>
  report.rows.flatMap(({ title, cells }) => {
    const byReason = new Map<string, string[]>()
    for (const [workload, cell] of Object.entries(cells))
      if ('failure' in cell) byReason.set(cell.failure, [...(byReason.get(cell.failure) ?? []), workload])
    return [...byReason].map(([reason, names]) => `${title}, ${names.join(', ')}: ${reason}`)
  })
