/**
 * The rules of ours that oxlint runs: those for apps, as their sources are, so that lint needs no build, and those of this
 * repository.
 */
import { tsImport } from 'tsx/esm/api'

const load = (file) => tsImport(file, import.meta.url)
const [{ default: carillon }, { inputsOnly }, { reasonedException }] = await Promise.all(
  ['../../src/lint/plugin.ts', './inputsOnly.ts', './reasonedException.ts'].map(load),
)

export default {
  meta: carillon.meta,
  rules: { ...carillon.rules, 'inputs-only': inputsOnly, 'reasoned-exception': reasonedException },
}
