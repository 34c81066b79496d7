/**
 * Runs spec files in a process of its own that may have a change, until one of them fails, and prints which; or, when nothing
 * is changed, which of them reach which changes, and which fail all the same.
 */
import { relative } from 'node:path'
import Mocha from 'mocha'

/** What StrykerJS's own switches go by. */
type Switches = {
  currentTestId?: string
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>
  }
}
const switches = ((globalThis as { __stryker__?: Switches }).__stryker__ ??= {})

const files = process.argv.slice(2)
const isChanged = process.env['__STRYKER_ACTIVE_MUTANT__'] !== undefined

const mocha = new Mocha({ bail: isChanged, timeout: isChanged ? 30_000 : 300_000, reporter: 'min' })
for (const file of files) mocha.addFile(file)
await mocha.loadFilesAsync()

const failed = new Set<string>()
const nameOf = (file: string | undefined): string => relative(process.cwd(), file ?? '')
mocha.suite.beforeEach('says which file is running', function () {
  switches.currentTestId = nameOf(this.currentTest?.file)
})
let first: string | undefined
const runner = mocha.run(() => {
  const { perTest = {}, static: always = {} } = switches.mutantCoverage ?? {}
  const reached = Object.entries(perTest).map(([file, hits]) => ({ file, ids: Object.keys(hits) }))
  console.log(
    `\n${JSON.stringify({ found: first ?? null, reached, always: Object.keys(always), failed: [...failed] })}`,
  )
  process.exit()
})
runner.on('test end', () => {
  // Whoever waits sees that it goes on.
  process.stderr.write('.')
})
runner.on('fail', ({ file, parent, title }: Mocha.Test) => {
  const name = nameOf(file ?? parent?.file)
  failed.add(name)
  first ??= `${name}: ${title}`
})
