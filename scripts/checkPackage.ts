/**
 * Checks the built package as a stranger's app would meet it: each target of `exports` and `bin` exists, and each
 * entry loads without the source condition. An entry whose source has not been written yet is left out.
 */
import { existsSync, readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'

const PackageC = t.type({
  name: t.string,
  exports: t.record(t.string, t.type({ 'carillon-source': t.string, types: t.string, default: t.string })),
  bin: t.record(t.string, t.string),
})

const decoded = PackageC.decode(JSON.parse(readFileSync('package.json', 'utf8')))
if (isLeft(decoded))
  throw new Error('package.json: `exports` or `bin` has another form than scripts/checkPackage.ts expects')
const { name, exports, bin } = decoded.right

const faults: string[] = []

for (const [entry, target] of Object.entries(exports)) {
  if (!existsSync(target['carillon-source'])) continue
  const missing = [target.types, target.default].filter((file) => !existsSync(file))
  faults.push(...missing.map((file) => `exports["${entry}"] names ${file}, which the build does not make`))
  if (missing.length > 0) continue
  const specifier = entry.replace('.', name)
  try {
    execFileSync(process.execPath, ['--input-type=module', '--eval', `await import('${specifier}')`], { stdio: 'pipe' })
  } catch (thrown) {
    faults.push(`import '${specifier}' fails: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

for (const [command, file] of Object.entries(bin)) {
  if (!existsSync(file.replace('./dist/', './src/').replace(/\.js$/, '.ts'))) continue
  if (!existsSync(file)) faults.push(`bin.${command} names ${file}, which the build does not make`)
  else if (!readFileSync(file, 'utf8').startsWith('#!/usr/bin/env node\n'))
    faults.push(`bin.${command}: ${file} does not begin with #!/usr/bin/env node`)
}

for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
