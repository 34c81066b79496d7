/**
 * Makes StrykerJS leave out every change that was not drawn. It can be told which places to change, and changes whatever
 * lies within them, too: most of its work would be for changes that nobody asked for.
 */
import process from 'node:process'
import { readFileSync } from 'node:fs'
import { MutantCollector } from './node_modules/@stryker-mutator/instrumenter/dist/src/transformers/mutant-collector.js'

/** @type {{ file: string, start: object, end: object, replacement: string }[]} */
const drawn = JSON.parse(readFileSync(process.env['CARILLON_DRAWN'] ?? '', 'utf8'))
const identity = ({ start, end, replacement }) =>
  JSON.stringify([start.line, start.column, end.line, end.column, replacement])
const wanted = drawn.map((mutant) => ({ file: `/${mutant.file}`, identity: identity(mutant) }))

const { collect } = MutantCollector.prototype
MutantCollector.prototype.collect = function (fileName, ...rest) {
  const mutant = collect.call(this, fileName, ...rest)
  const { location, replacement } = mutant.toApiMutant()
  const own = identity({ ...location, replacement })
  if (!wanted.some((one) => one.identity === own && `/${fileName}`.endsWith(one.file)))
    mutant.ignoreReason = 'It was not drawn.'
  return mutant
}
