/**
 * Checks the package as a stranger's app would meet it: what npm packs, how its entries resolve, and what loading them
 * costs. It was built before.
 */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'

const PackageC = t.type({
  name: t.string,
  exports: t.record(t.string, t.type({ types: t.string, default: t.string })),
  bin: t.record(t.string, t.string),
  dependencies: t.record(t.string, t.string),
  peerDependencies: t.record(t.string, t.string),
})
const PackedC = t.tuple([t.type({ filename: t.string, files: t.array(t.type({ path: t.string })) })])

const mostPackedBytes = 1_500_000
/** What is read of the disk for `import 'carillon'`, in the package itself and in all that it needs. */
const mostFilesLoaded = 150
const mostImportMs = 200

const decode = <A>(codec: t.Decoder<unknown, A>, text: string, what: string): A => {
  const decoded = codec.decode(JSON.parse(text))
  if (isLeft(decoded)) throw new Error(`${what} has another form than scripts/checkPackage.ts expects`)
  return decoded.right
}

const { name, exports, bin, dependencies, peerDependencies } = decode(
  PackageC,
  readFileSync('package.json', 'utf8'),
  'package.json',
)
const faults: string[] = []

/** What a program printed; a fault when it failed. */
const outputOf = (what: string, program: string, args: readonly string[]): string => {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (thrown) {
    const told = typeof thrown === 'object' && thrown !== null && 'stdout' in thrown ? String(thrown.stdout) : ''
    faults.push(`${what} fails: ${told}${thrown instanceof Error ? thrown.message : String(thrown)}`)
    return ''
  }
}
const node = (what: string, ...args: readonly string[]): string => outputOf(what, process.execPath, args)

for (const [entry, target] of Object.entries(exports)) {
  const missing = [target.types, target.default].filter((file) => !existsSync(file))
  faults.push(...missing.map((file) => `exports["${entry}"] names ${file}, which the build does not make`))
  const specifier = entry.replace('.', name)
  node(`import '${specifier}'`, '--input-type=module', '--eval', `await import('${specifier}')`)
}

for (const [command, file] of Object.entries(bin)) {
  if (!existsSync(file)) faults.push(`bin.${command} names ${file}, which the build does not make`)
  else if (!readFileSync(file, 'utf8').startsWith('#!/usr/bin/env node\n'))
    faults.push(`bin.${command}: ${file} does not begin with #!/usr/bin/env node`)
}

// What code finds by its own path lies elsewhere once the code is bundled: programs of threads beside it, the rest above.
for (const file of readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.js')))
  for (const [, path = ''] of readFileSync(join('dist', file), 'utf8').matchAll(
    /new URL\("([^"]+)", import\.meta\.url\)/g,
  ))
    if (!existsSync(resolve('dist', dirname(file), path)))
      faults.push(`dist/${file} looks for ${path}, which is not there`)

const counting = `import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(\`import { writeSync } from 'node:fs'
export const load = (url, context, next) => { if (url.startsWith('file:')) writeSync(1, url + '\\\\n'); return next(url, context) }\`))`
/** Looks at what `import` of the package costs an app that has installed the tarball. */
const checkImport = (folder: string, tarball: string): void => {
  const unpacked = join(folder, 'node_modules', name)
  mkdirSync(unpacked, { recursive: true })
  outputOf('tar', 'tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'])
  for (const dependency of Object.keys({ ...dependencies, ...peerDependencies })) {
    const link = join(folder, 'node_modules', dependency)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(resolve('node_modules', dependency), link, 'junction')
  }
  const app = join(folder, 'app.mjs')
  writeFileSync(
    app,
    `const before = process.cpuUsage()
await import('${name}')
const { user, system } = process.cpuUsage(before)
const { default: module } = await import('node:module')
for (const file of Object.keys(module._cache)) console.log('file://' + file)
console.log((user + system) / 1_000)`,
  )
  const counted = node(
    'counting what is loaded',
    '--import',
    `data:text/javascript,${encodeURIComponent(counting)}`,
    app,
  )
  const loaded = new Set(counted.split('\n').filter((line) => line.startsWith('file:') && !line.endsWith('app.mjs')))
  if (loaded.size > mostFilesLoaded)
    faults.push(`import '${name}' loads ${loaded.size} files, more than ${mostFilesLoaded}`)
  // The least of several, because others may keep the machine busy.
  const runs = [1, 2, 3, 4, 5].map(() => Number(node('import', app).trim().split('\n').at(-1)))
  const processorMs = Math.min(...runs)
  if (processorMs > mostImportMs)
    faults.push(`import '${name}' takes ${Math.round(processorMs)} ms of processor time, more than ${mostImportMs}`)
  console.log(`import '${name}': ${loaded.size} files, ${Math.round(processorMs)} ms of processor time`)
}

const scratch = mkdtempSync(join(tmpdir(), 'carillon-pack-'))
try {
  const packed = outputOf('npm pack', 'npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', scratch])
  const [{ filename, files }] = decode(PackedC, packed, 'What npm pack says')
  const tarball = join(scratch, filename)
  const { size } = statSync(tarball)
  if (size > mostPackedBytes) faults.push(`the package has ${size} bytes, more than ${mostPackedBytes}`)
  for (const { path } of files)
    if (/\.(map|png|svg)$/.test(path) && !path.startsWith('dist/dashboard/'))
      faults.push(`${path} is of no use to those who install the package`)
  // `carillon explain` reads them there.
  const packedPaths = new Set(files.map(({ path }) => path))
  for (const page of readdirSync('docs/errors').filter((file) => !packedPaths.has(`docs/errors/${file}`)))
    faults.push(`docs/errors/${page} is not in the package`)
  checkImport(scratch, tarball)
  node('publint', 'node_modules/publint/src/cli.js', 'run', tarball, '--strict')
  node('arethetypeswrong', 'node_modules/@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only')
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
