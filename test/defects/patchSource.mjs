/**
 * Makes one change in the text of one source file as it is loaded, before anything else reads it: a text that occurs once,
 * or a span, is replaced. For seeded defects and mutants only: the process must be started with this before tsx.
 */
import { register } from 'node:module'
import process from 'node:process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const change = process.env['CARILLON_DEFECT']

/** @type {import('node:module').LoadHook} */
export const load = async (url, context, nextLoad) => {
  const { file, find, from, to, replace } = JSON.parse(change ?? '{}')
  if (file === undefined || !url.split('?')[0].endsWith(`/${file}`)) return nextLoad(url, context)
  const text = readFileSync(fileURLToPath(url.split('?')[0]), 'utf8')
  if (from !== undefined)
    return { format: 'module', shortCircuit: true, source: `${text.slice(0, from)}${replace}${text.slice(to)}` }
  if (text.split(find).length !== 2) throw new Error(`${file} does not hold the text to be changed exactly once`)
  return { format: 'module', shortCircuit: true, source: text.replace(find, () => replace) }
}

if (change !== undefined && !import.meta.url.includes('?hooks')) register(`${import.meta.url}?hooks`)
