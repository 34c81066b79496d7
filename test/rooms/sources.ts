/** The sources of the package, without specs, for checks that look at their text. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

export type Source = { readonly file: string; readonly text: string }

const src = join(import.meta.dirname, '../../src')

/** Files by their path from `src`, such as `agenda/why.ts`. The template of a new app is an app's code. */
export const sources = (): readonly Source[] =>
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((path) => relative('.', path).split(sep).join('/'))
    .filter((path) => /\.tsx?$/.test(path) && !/\.spec\.ts$|\.d\.ts$|^cli\/template\//.test(path))
    .map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }))
