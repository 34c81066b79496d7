/**
 * The forms in which verbs print what they found: a JSON document for programs; for people a table, or facts with labels.
 */
import { showTrace, type ErrorTrace } from '../errors/ErrorTrace.js'
import { table, type PrintedColumn } from './table.js'
import { printable, type Terminal, type TextTone } from './Terminal.js'

/** JSON as it is printed: what would act on a terminal is spelled out, which is the same text for a program. */
export const jsonText = (document: unknown, indent?: number): string =>
  JSON.stringify(document, undefined, indent).split('\n').map(printable).join('\n')

/** Lines of JSON that others write, printed in the same way: a logger's, in which may stand what another party has said. */
export const printableLines = (to: { readonly write: (line: string) => unknown }) => ({
  write: (line: string): void => void to.write(`${printable(line.trimEnd())}\n`),
})

/** Prints one document for a program; false when a person reads, and is to be told in another form. */
export const printJson = (terminal: Terminal, json: boolean | undefined, document: unknown): boolean => {
  if (json !== true) return false
  terminal.out(jsonText(document))
  return true
}

/** Prints a document for a program, a line for people. */
export const printLine = (terminal: Terminal, json: boolean | undefined, document: unknown, line: string): void => {
  if (!printJson(terminal, json, document)) terminal.out(line)
}

/** Says something about the result, beside it. */
export const printNote = (terminal: Terminal, text: string): void => terminal.err(terminal.tone('dim', text))

export const printTable = <R>(terminal: Terminal, columns: readonly PrintedColumn<R>[], rows: readonly R[]): void => {
  for (const line of table(columns, rows, terminal)) terminal.out(line)
}

export type PrintedList<R> = {
  readonly rows: readonly R[]
  /** Asked for only when there is a table to print: they may depend on what time it is for the node. */
  readonly columns: readonly PrintedColumn<R>[] | (() => Promise<readonly PrintedColumn<R>[]>)
  /** What is said when there is nothing. */
  readonly empty: string
}

/** Prints a list: one document a line for a program, a table for people. */
export const printList = async <R>(
  terminal: Terminal,
  json: boolean | undefined,
  { rows, columns, empty }: PrintedList<R>,
): Promise<void> => {
  if (json === true) for (const row of rows) terminal.out(jsonText(row))
  else if (rows.length === 0) terminal.out(empty)
  else printTable(terminal, typeof columns === 'function' ? await columns() : columns, rows)
}

/** Prints where an error came from, a call a line; nothing where that is not known. */
export const printTrace = (terminal: Terminal, error: ErrorTrace | undefined): void => {
  const trace = error === undefined ? undefined : showTrace(error)
  if (trace === undefined) return
  terminal.out('')
  for (const line of trace.split('\n')) terminal.out(terminal.tone('dim', printable(line)))
}

/** A label, what it says, and its colour. What is undefined is left out. */
export type Fact = readonly [label: string, text: string | undefined, tone?: TextTone | undefined]

/** A record: its title, then its facts, one a line, with their labels in a column. */
export const printRecord = (terminal: Terminal, title: string, facts: readonly Fact[]): void => {
  terminal.out(terminal.tone('bold', printable(title)))
  for (const line of factLines(terminal, facts, { indent: '  ' })) terminal.out(line)
}

/** Facts, one a line, with their labels in a column. */
export const factLines = (
  terminal: Terminal,
  facts: readonly Fact[],
  { indent = '' }: { readonly indent?: string } = {},
): readonly string[] => {
  const width = Math.max(0, ...facts.map(([label, text]) => (text === undefined ? 0 : label.length)))
  return facts.flatMap(([label, text, tone]) => {
    if (text === undefined) return []
    const shown = printable(text)
    return [
      `${indent}${terminal.tone('dim', label.padEnd(width))} ${tone === undefined ? shown : terminal.tone(tone, shown)}`,
    ]
  })
}
