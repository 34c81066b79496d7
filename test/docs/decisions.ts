/**
 * The decisions of docs/adr, as their pages begin: number, title, date and status.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './pages.js'

const folder = join(repository, 'docs/adr')

export type DecisionPage = {
  readonly file: string
  /** Of the name of the file. */
  readonly number: number
  /** Of the heading; undefined when it has none. */
  readonly heading: number | undefined
  readonly title: string
  readonly date: string | undefined
  readonly status: string | undefined
}

/** What a page says of itself, in its first lines. */
export const decisionOf = (file: string, text: string): DecisionPage => {
  const [, heading, title = ''] = /^# (?:(\d+)\. )?(.+)$/m.exec(text.split('\n')[0] ?? '') ?? []
  const [, date, status] =
    /^\*\*Date\.\*\* (\S+)\. \*\*Status\.\*\* ([A-Z][a-z]+)[. ]/.exec(text.split('\n')[2] ?? '') ?? []
  return {
    file,
    number: Number(file.slice(0, 4)),
    heading: heading === undefined ? undefined : Number(heading),
    title,
    date,
    status,
  }
}

export const decisionPages = (): readonly DecisionPage[] =>
  readdirSync(folder)
    .sort()
    .map((file) => decisionOf(file, readFileSync(join(folder, file), 'utf8')))
