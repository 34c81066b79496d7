/**
 * Simulates the histories that it is told, in a process of its own that may have a change, until one finds something, and
 * prints what; or, when nothing is changed, which of them reach which changes.
 */
import { simulate } from '../../src/testing/index.js'
import { allWorlds } from '../defects/worlds.js'

/** What StrykerJS's own switches go by. */
type Switches = {
  currentTestId?: string
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>
  }
}
const switches = ((globalThis as { __stryker__?: Switches }).__stryker__ ??= {})

const histories = (process.argv[2] ?? '').split(',')
const isChanged = process.env['__STRYKER_ACTIVE_MUTANT__'] !== undefined

let found: string | undefined
for (const history of histories) {
  const [name = '', seed] = history.split(' ')
  const world = allWorlds.find(({ app }) => app.name === name)
  if (world === undefined) throw new Error(`There is no world ${name}.`)
  switches.currentTestId = history
  const { failures } = await simulate({ ...world, seeds: [Number(seed)], shrinkTries: 0 })
  // Whoever waits sees that it goes on.
  process.stderr.write('.')
  const [violation] = failures[0]?.violations ?? []
  if (violation === undefined) continue
  found = isChanged ? violation.invariant : `${history}: ${violation.invariant}: ${violation.what}`
  break
}
const reached = Object.entries(switches.mutantCoverage?.perTest ?? {}).map(([history, hits]) => ({
  history,
  ids: Object.keys(hits),
}))
console.log(
  JSON.stringify({ found: found ?? null, reached, always: Object.keys(switches.mutantCoverage?.static ?? {}) }),
)
process.exit()
