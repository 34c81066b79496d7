import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packageEntries } from '../../scripts/packageEntries.js'

const repository = dirname(dirname(import.meta.dirname))
const installed = (path: string): string => join(repository, 'node_modules', path)
const compilers = {
  '5.4, the oldest': join(import.meta.dirname, 'oldest/node_modules/typescript/bin/tsc'),
  'the newest': installed('typescript-native/bin/tsc'),
}
const modules = {
  nodenext: { module: 'nodenext' },
  node16: { module: 'node16' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
}

const specifiers = packageEntries().map(({ specifier }) => specifier)

/** Exports what its definitions infer, so a compiler that makes declarations has to name the types in them. */
const definitions = `import * as t from 'io-ts'
import { codec, defineApp, defineFlow, defineState, some, startNode, type Node } from 'carillon'
import type { NodeOptions } from 'carillon/types'

export const Plants = defineState({
  type: 'plants/Plants',
  data: t.strict({ owner: codec.party, waterAt: codec.instant }),
  participants: ({ owner }) => [owner],
}).withActivity(({ waterAt }, plants) => some(Water.at(waterAt, { before: [plants] })))

export const Water = defineFlow({
  name: 'plants/Water',
  schedulable: true,
  input: codec.strict({ before: codec.array(codec.stateRef) }),
  *run(io, { before }) {
    const waterAt = yield* io.after({ days: 3 })
    yield* io.finalise((tx) => tx.consume(...before).produce(Plants, { owner: io.me, waterAt }))
    return waterAt
  },
})

export const app = defineApp({ name: 'plants', states: [Plants], flows: [Water] })
export const start = (options: NodeOptions): Promise<Node> => startNode(options)
`
const allEntries = specifiers.map((specifier, index) => `import * as entry${index} from '${specifier}'`).join('\n')
const wrong = `import { Water } from './app.js'
import type { Node } from 'carillon'
${allEntries}
export const entries: unknown = [${specifiers.map((_, index) => `entry${index}`).join(', ')}]
export const wrong = (node: Node): unknown =>
  // @ts-expect-error -- a ref is no text
  node.run(Water, { before: ['a'] })
`
const program = `import { VirtualNode } from 'carillon/testing'
import { app, Plants, Water } from './app.js'

const main = async () => {
  const { node } = await VirtualNode.start({ app })
  await node.run(Water, { before: [] })
  console.log((await node.states(Plants)).length)
  await node.stop()
}
void main()
`

describe('An app', () => {
  let folder: string
  const run = (program: string, ...args: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      execFile(process.execPath, [program, ...args], { cwd: folder }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trim())
        else reject(new Error(`${stdout}${stderr}`))
      })
    })
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }

  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'carillon-app-')))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(repository, join(folder, 'node_modules/carillon'), 'junction')
    for (const name of ['io-ts', 'fp-ts', '@types']) symlinkSync(installed(name), join(folder, 'node_modules', name))
    write('package.json', '{ "type": "module" }')
    write('app.ts', definitions)
    write('wrong.ts', wrong)
    write('main.ts', program)
    write('commonjs/package.json', '{ "type": "commonjs" }')
    write('commonjs/app.ts', definitions)
    write('commonjs/main.ts', program)
    write('commonjs/plain.cjs', `for (const name of ${JSON.stringify(specifiers)}) require(name)\nconsole.log('all')`)
    write('plain.mjs', `for (const name of ${JSON.stringify(specifiers)}) await import(name)\nconsole.log('all')`)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const [version, compiler] of Object.entries(compilers))
    it(`compiles with TypeScript ${version}, for Node.js and for bundlers, and makes its declarations`, async () => {
      const compile = ([name, options]: readonly [string, object]): Promise<string> => {
        const project = `${name}.${version === 'the newest' ? 'new' : 'old'}.json`
        const compilerOptions = {
          ...{ target: 'es2022', types: ['node'], strict: true, exactOptionalPropertyTypes: true, noEmitOnError: true },
          ...{ declaration: true, emitDeclarationOnly: true, outDir: join(folder, 'out', project), rootDir: folder },
          // Declarations of other packages need newer compilers.
          skipLibCheck: version !== 'the newest',
          ...options,
        }
        write(project, JSON.stringify({ compilerOptions, files: ['app.ts', 'wrong.ts', 'main.ts'] }))
        return run(compiler, '--project', project)
      }
      expect(await Promise.all(Object.entries(modules).map(compile))).to.deep.equal(['', '', ''])
    })

  it('in TypeScript that is a CommonJS module compiles with the newest', async () => {
    const compilerOptions = { target: 'es2022', types: ['node'], strict: true, noEmit: true, module: 'nodenext' }
    write('commonjs/tsconfig.json', JSON.stringify({ compilerOptions, files: ['main.ts'] }))
    expect(await run(compilers['the newest'], '--project', 'commonjs')).to.equal('')
  })

  it('runs with tsx, as an ES module and as a CommonJS one', async () => {
    const tsx = installed('tsx/dist/cli.mjs')
    expect(await Promise.all([run(tsx, 'main.ts'), run(tsx, 'commonjs/main.ts')])).to.deep.equal(['1', '1'])
  })

  it('imports and requires every entry', async () => {
    expect(await Promise.all([run('plain.mjs'), run('commonjs/plain.cjs')])).to.deep.equal(['all', 'all'])
  })
})
