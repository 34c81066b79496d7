/**
 * Draws how cost grows: npm run bench:curves, or npm run bench:curves -- pending events. Options: --largest (the last size,
 * default 1,000,000), --quick (tiny sizes, figures mean nothing), --out (the folder of the pictures).
 */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, machineText } from '../machine.js'
import { drawCurves, sweeps } from './drawCurves.js'

const here = import.meta.dirname
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    largest: { type: 'string', default: '1000000' },
    out: { type: 'string', default: join(here, '..', '..', 'docs', 'explanation', 'curves') },
  },
})
const unknown = positionals.filter((name) => !sweeps.some((sweep) => sweep.name === name))
if (unknown.length > 0)
  throw new Error(`No curve is named ${unknown.join(' or ')}. There are: ${sweeps.map(({ name }) => name).join(', ')}.`)
const largest = Number(options.largest)
if (!(largest >= 1_000)) throw new Error(`--largest is at least 1000, not ${options.largest}.`)

const sizes = options.quick
  ? [20, 100]
  : Array.from({ length: Math.floor(Math.log10(largest)) - 2 }, (_, index) => 1_000 * 10 ** index)
const machine = describeMachine({ quick: options.quick, folder: tmpdir() })
console.log(machineText(machine))
await drawCurves(positionals.length === 0 ? sweeps : sweeps.filter(({ name }) => positionals.includes(name)), {
  quick: options.quick,
  keptFolder: join(here, '..', 'kept'),
  sizes,
  outFolder: options.out,
  machine,
  tell: (line) => console.log(line),
  onPoint: ({ of }, { size, values }) => {
    const shown = Object.entries(values).map(([chart, series]) => `${chart} ${JSON.stringify(series)}`)
    console.log(`${size.toLocaleString('en')} ${of}: ${shown.join(', ')}`)
  },
})
