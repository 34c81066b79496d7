/** Which lines a stack names, when an app was compiled and the command runs what was made of it. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import ts from 'typescript'
import { isBuilt } from '../../samples/shared/test/builtPackage.js'
import { scratchFolder, spawned } from './spawnCarillon.js'

const source = `import { defineApp, defineFlow, NoInputC, type FlowBody, type Node } from 'carillon'

type Unused = { readonly many: string; readonly lines: string }

type More = Unused & {
  readonly which: string
  readonly leave: string
}

const fail = (what: More | string): never => {
  throw new TypeError(String(what)) // line 11
}

const Fail = defineFlow({
  name: 'lines/Fail',
  input: NoInputC,
  *run(io): FlowBody<void> {
    yield* io.now()
    fail('as asked') // line 19
  },
})

export const app = defineApp({ name: 'lines', states: [], flows: [Fail] })

export const onStart = async (node: Node): Promise<void> => {
  await node.run(Fail, {}).catch((error: unknown) => {
    console.error((error as Error).stack)
    process.kill(process.pid, 'SIGTERM')
  })
}
`

describe('The stack of an app that was compiled', function () {
  this.timeout(60_000)

  it('names the lines of its sources under plain node', async () => {
    const { folder, remove } = scratchFolder()
    try {
      const { outputText } = ts.transpileModule(source, {
        fileName: 'lines.ts',
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2022,
          inlineSourceMap: true,
          inlineSources: true,
        },
      })
      expect(outputText.split('\n').findIndex((line) => line.includes('line 19'))).to.be.lessThan(18)
      const app = join(folder, 'lines.js')
      writeFileSync(
        app,
        outputText.replace(
          "'carillon'",
          JSON.stringify(resolve(import.meta.dirname, isBuilt() ? '../../dist/index.js' : '../../src/index.ts')),
        ),
      )
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
      const { stderr } = await spawned(['run', app, '--store', join(folder, 'store'), '--no-http'])
      expect(stderr).to.match(/TypeError: as asked\n +at fail \(.*lines\.ts:11:\d+\)\n +at .*lines\.ts:19:\d+/)
    } finally {
      remove()
    }
  })
})
