/**
 * Gives the instrumented text of a source file instead of its own, where there is one. Must be registered before tsx.
 */
import { existsSync, readFileSync } from 'node:fs'
import { register } from 'node:module'
import { relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const { CARILLON_SOURCES: sources = '', CARILLON_INSTRUMENTED: instrumented = '' } = process.env

/** @type {import('node:module').LoadHook} */
export const load = async (url, context, nextLoad) => {
  const [address] = url.split('?')
  if (!address.startsWith('file:')) return nextLoad(url, context)
  const file = `${instrumented}/${relative(sources, fileURLToPath(address))}`
  if (!file.endsWith('.ts') || !existsSync(file)) return nextLoad(url, context)
  return { format: 'module', shortCircuit: true, source: readFileSync(file, 'utf8') }
}

if (!import.meta.url.includes('?hooks')) register(`${import.meta.url}?hooks`)
