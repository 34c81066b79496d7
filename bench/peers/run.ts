/**
 * Runs the workloads on other durable schedulers and on ours, side by side: npm run bench:peers. Options: --peers and
 * --workloads with names and commas between them, --quick (tiny sizes, figures mean nothing), --folder (a folder on
 * another disk to measure), --out (the JSON file), --add (keep what that file already has of other systems and workloads).
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { argv, version } from 'node:process'
import { parseArgs } from 'node:util'
import { measureDiskSync } from '../diskSync.js'
import { describeMachine, machineText } from '../machine.js'
import { missingPackages } from './installed.js'
import { measureOurs, measurePeerAlone } from './measure.js'
import type { Description } from './measurePeer.js'
import { endGroupsWhenInterrupted } from './ProcessGroup.js'
import { addedTo, failuresOf, tableOf, type Cell, type Report } from './Report.js'
import { isSystemName, systems } from './systems.js'
import type { Workload } from './Workload.js'
import { workloads } from './workloads.js'

const ourName = 'carillon'
const ourSettings = [
  'the embedded store, every tick synced to the disk; each job is a flow that consumes and reproduces a state in a signed, verified transaction',
]

const { values: options } = parseArgs({
  options: {
    peers: { type: 'string', default: [ourName, ...Object.keys(systems)].join(',') },
    workloads: { type: 'string', default: workloads.map(({ name }) => name).join(',') },
    quick: { type: 'boolean', default: false },
    folder: { type: 'string', default: tmpdir() },
    add: { type: 'boolean', default: false },
    out: { type: 'string', default: join(import.meta.dirname, '..', 'results', 'peers.json') },
  },
})

const chosenOf = (option: string, given: string, known: readonly string[]): readonly string[] => {
  const names = given.split(',')
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new Error(`--${option}: there is no ${unknown.join(' and no ')}. There are: ${known.join(', ')}.`)
  return known.filter((name) => names.includes(name))
}
const peers = chosenOf('peers', options.peers, [ourName, ...Object.keys(systems)])
const names = chosenOf(
  'workloads',
  options.workloads,
  workloads.map(({ name }) => name),
)
const chosen = workloads.filter(({ name }) => names.includes(name))

/** What the file already has of other systems and workloads, if that is to be kept. Written by this program. */
const earlier =
  options.add && existsSync(options.out) ? (JSON.parse(readFileSync(options.out, 'utf8')) as Report) : undefined

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const shortened = (text: string): string => text.split('\n').slice(0, 3).join(' ')

const descriptions = new Map<string, Description>()
const cells = new Map<string, Record<string, Cell>>(peers.map((peer) => [peer, {}]))
/** Systems that cannot be started at all are told of once and not tried again. */
const absent = new Map<string, string>()

const measure = async (workload: Workload, peer: string): Promise<Cell> => {
  const failure = absent.get(peer)
  if (failure !== undefined) return { failure }
  const { p50Ms: fdatasyncP50Ms } = measureDiskSync(options.folder, 100)
  if (!isSystemName(peer)) return { figures: await measureOurs(workload, options), fdatasyncP50Ms }
  const result = await measurePeerAlone(workload, peer, options)
  if ('failure' in result) {
    if (result.isAbsent) absent.set(peer, result.failure)
    return { failure: shortened(result.failure) }
  }
  descriptions.set(peer, result.description)
  return { figures: result.figures, fdatasyncP50Ms }
}

endGroupsWhenInterrupted()
const others = peers.filter(isSystemName)
const missing = others.length === 0 ? undefined : missingPackages()
if (missing !== undefined) for (const peer of others) absent.set(peer, missing)

const machine = { ...describeMachine(options), memoryGB: Math.round(totalmem() / 2 ** 30) }
console.log(`${machineText(machine)}${options.quick ? '\nQuick sizes: the figures mean nothing.' : ''}`)

const reported = (): Report => {
  const measured: Report = {
    command: ['npm run bench:peers', ...(argv.length > 2 ? ['--', ...argv.slice(2)] : [])].join(' '),
    quick: options.quick,
    machine,
    seed: 'none: the same work every time; only ids are random',
    workloads: Object.fromEntries(chosen.map(({ name, measures }) => [name, measures])),
    rows: peers.map((peer) => ({
      title: isSystemName(peer) ? systems[peer].title : 'Carillon',
      versions: descriptions.get(peer)?.versions ?? {},
      node: descriptions.get(peer)?.node ?? (isSystemName(peer) ? '' : version),
      settings: descriptions.get(peer)?.settings ?? (isSystemName(peer) ? [] : ourSettings),
      cells: cells.get(peer) ?? {},
    })),
  }
  return earlier === undefined ? measured : addedTo(earlier, measured)
}

/** After each figure, so that whoever is interrupted has what was measured until then. */
const write = (): void => {
  mkdirSync(dirname(resolve(options.out)), { recursive: true })
  writeFileSync(`${options.out}.unfinished`, `${JSON.stringify(reported(), null, 2)}\n`)
  renameSync(`${options.out}.unfinished`, options.out)
}

for (const workload of chosen) {
  console.log(`\n${workload.name}: ${workload.measures}`)
  for (const peer of peers) {
    const cell = await measure(workload, peer).catch((error: unknown) => ({ failure: shortened(messageOf(error)) }))
    const row = cells.get(peer)
    if (row !== undefined) row[workload.name] = cell
    write()
    const text =
      'failure' in cell
        ? `not measured: ${cell.failure}`
        : Object.entries(cell.figures)
            .map(([figure, value]) => `${figure} ${Math.round(value * 10) / 10}${workload.figures[figure] ?? ''}`)
            .concat(`(fdatasync ${cell.fdatasyncP50Ms.toFixed(2)} ms)`)
            .join(', ')
    console.log(`  ${peer.padEnd(16)} ${text}`)
  }
}

const report = reported()
console.log(`\n${tableOf(report, workloads)}`)
for (const failure of failuresOf(report)) console.log(`– ${failure}`)
console.log(`\nWritten to ${resolve(options.out)}`)
// Another system may be absent or fail; ours may not.
const ourCells = Object.values(cells.get(ourName) ?? {})
process.exitCode = ourCells.some((cell) => 'failure' in cell) ? 1 : 0
