/**
 * Draws where the processor's time goes in a benchmark: npm run bench:profile -- fire-burst. Writes a flame graph and the
 * `.cpuprofile` that a browser's developer tools open. Options: --quick, --out (the folder of the pictures).
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { machineText, describeMachine } from '../machine.js'
import { runWorkload } from '../runWorkload.js'
import { workloads } from '../workloads.js'
import { callTree } from './CpuProfile.js'
import { bySelfTime, flameGraphSvg } from './flameGraph.js'
import { profiled } from './profiled.js'

const here = import.meta.dirname
const hotPaths = ['fire-burst', 'produce-single', 'replay']
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    out: { type: 'string', default: join(here, '..', '..', 'docs', 'explanation', 'flames') },
  },
})
const names = positionals.length === 0 ? hotPaths : positionals
const unknown = names.filter((name) => !workloads.some((workload) => workload.name === name))
if (unknown.length > 0)
  throw new Error(
    `No benchmark is named ${unknown.join(' or ')}. There are: ${workloads.map(({ name }) => name).join(', ')}.`,
  )

console.log(machineText(describeMachine({ quick: options.quick, folder: tmpdir() })))
const results = join(here, '..', 'results')
mkdirSync(results, { recursive: true })
mkdirSync(options.out, { recursive: true })
for (const workload of workloads.filter(({ name }) => names.includes(name))) {
  const bench = { quick: options.quick, keptFolder: join(here, '..', 'kept') }
  // Once before it counts, so that compiling is not what the picture shows; and what has to be kept is made there.
  await runWorkload({ ...workload, repetitions: 1, warmUps: 0 }, bench)
  const { profile, text } = await profiled(() => runWorkload({ ...workload, repetitions: 1, warmUps: 0 }, bench))
  const tree = callTree(profile)
  writeFileSync(join(results, `${workload.name}.cpuprofile`), text)
  writeFileSync(join(options.out, `${workload.name}.svg`), flameGraphSvg(`${workload.name}: processor time`, tree))
  console.log(`\n${workload.name}, by the time in itself:`)
  for (const { name, share } of bySelfTime(tree).slice(0, 15))
    console.log(`  ${(share * 100).toFixed(1).padStart(5)} %  ${name}`)
}
