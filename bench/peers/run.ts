/**
 * Runs the workloads on other durable schedulers and on ours, side by side: npm run bench:peers. Options: --peers and
 * --workloads with names and commas between them, --quick (tiny sizes, figures mean nothing), --out (the JSON file), --add
 * (keep what that file already has of other systems and workloads).
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { argv, exitCode, version } from 'node:process'
import { parseArgs } from 'node:util'
import { measureDiskSync } from '../diskSync.js'
import { describeMachine, machineText } from '../machine.js'
import { ensureInstalled } from './installed.js'
import { measurePeer, type Description } from './measurePeer.js'
import { measureOurs } from './ours.js'
import { addedTo, failuresOf, tableOf, type Cell, type Report } from './Report.js'
import { NoServer } from './servers/Server.js'
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

const inFolder = async <A>(work: (folder: string) => A | Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-peers-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const linesOf = (text: string): string => text.split('\n').slice(0, 3).join(' ')

const descriptions = new Map<string, Description>()
const cells = new Map<string, Record<string, Cell>>(peers.map((peer) => [peer, {}]))
/** Systems that cannot be started at all are told of once and not tried again. */
const absent = new Map<string, string>()

const measure = async (workload: Workload, peer: string, folder: string): Promise<Cell> => {
  const { p50Ms: fdatasyncP50Ms } = measureDiskSync(folder, 100)
  if (!isSystemName(peer)) return { figures: measureOurs(workload, folder, options.quick), fdatasyncP50Ms }
  const { description, figures } = await measurePeer(workload, peer, folder, options.quick)
  descriptions.set(peer, description)
  return { figures, fdatasyncP50Ms }
}

ensureInstalled()
const machine = { ...describeMachine(options.quick), memoryGB: Math.round(totalmem() / 2 ** 30) }
console.log(`${machineText(machine)}${options.quick ? '\nQuick sizes: the figures mean nothing.' : ''}`)

for (const workload of chosen) {
  console.log(`\n${workload.name}: ${workload.measures}`)
  for (const peer of peers) {
    const failure = absent.get(peer)
    const cell: Cell =
      failure === undefined
        ? await inFolder((folder) => measure(workload, peer, folder)).catch((error: unknown) => {
            if (error instanceof NoServer) absent.set(peer, error.message)
            return { failure: linesOf(messageOf(error)) }
          })
        : { failure }
    const row = cells.get(peer)
    if (row !== undefined) row[workload.name] = cell
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
const out = resolve(options.out)
// Written by this program.
const report =
  options.add && existsSync(out) ? addedTo(JSON.parse(readFileSync(out, 'utf8')) as Report, measured) : measured
mkdirSync(dirname(out), { recursive: true })
writeFileSync(out, `${JSON.stringify(report, null, 2)}\n`)
console.log(`\n${tableOf(report, workloads)}`)
for (const failure of failuresOf(report)) console.log(`– ${failure}`)
console.log(`\nWritten to ${out}`)
process.exit(exitCode)
