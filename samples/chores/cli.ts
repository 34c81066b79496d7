/**
 * The chores from the command line: `npm run chores -- run` in one terminal, any other verb in a second one. Controls
 * go to the running process, which records them with the caller's name.
 */
import { Command, InvalidArgumentError } from 'commander'
import { instant, startNode, type Instant } from 'carillon'
import { createChoresApp } from './app.js'
import { answerRequest } from './cli/answerRequest.js'
import { askDesk, openDeskDoor } from './cli/deskDoor.js'
import type { DeskRequest } from './cli/requests.js'
import { SettleProposals } from './governance/Archive.js'
import { CreateNeuron, Neuron } from './governance/Neuron.js'
import type { Control } from './engine/index.js'

type Options = { readonly store: string; readonly as: string; readonly json: boolean }

const seconds = (text: string): number => {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('Give whole seconds, such as 3600.')
  return Number(text)
}

const moment = (text: string): Instant => {
  try {
    return instant(text)
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error))
  }
}

const program = new Command('chores')
  .description('recurring work on a node of its own')
  .option('--store <folder>', 'where the node keeps its log', '.carillon-chores')
  .option('--as <caller>', 'who asks: operator, caretaker or auditor', 'operator')
  .option('--json', 'print JSON', false)

type Asked = DeskRequest extends infer R ? (R extends unknown ? Omit<R, 'caller' | 'json'> : never) : never

const ask = async (asked: Asked): Promise<void> => {
  const { store, as, json } = program.opts<Options>()
  const request = { ...asked, caller: as, json }
  for (const line of await askDesk(store, request)) console.log(line)
}

const control = (choreId: string, asked: Control): Promise<void> => ask({ ask: 'control', choreId, control: asked })

program
  .command('run')
  .description('run the chores until Ctrl-C')
  .action(async () => {
    const { store } = program.opts<Options>()
    const chores = createChoresApp()
    const node = await startNode({ app: chores.app, store })
    await chores.connect(node)
    if ((await node.states(Neuron)).length === 0) {
      for (const neuronId of ['neuron-1', 'neuron-2', 'neuron-3'])
        await node.run(CreateNeuron, { neuronId, isDissolved: neuronId === 'neuron-2' })
      await node.run(SettleProposals, { count: 250 })
    }
    const closeDoor = await openDeskDoor(store, (request) =>
      answerRequest(chores.deskOf, request, instant(new Date().toISOString())),
    )
    console.log(`The chores run on ${store}. Stop them with Ctrl-C.`)
    await new Promise<void>((resolve) => {
      process.once('SIGINT', resolve)
      process.once('SIGTERM', resolve)
    })
    await closeDoor()
    await node.stop()
  })

program
  .command('list')
  .description('all chores, one line each')
  .action(() => ask({ ask: 'list' }))

program
  .command('status <chore>')
  .description('everything about one chore')
  .option('--watch', 'show it again every second, until Ctrl-C')
  .action(async (choreId: string, { watch }: { readonly watch?: boolean }) => {
    do {
      if (watch === true && process.stdout.isTTY) process.stdout.write('\u001b[2J\u001b[H')
      await ask({ ask: 'status', choreId })
      if (watch === true) await new Promise((resolve) => setTimeout(resolve, 1_000))
    } while (watch === true)
  })

program
  .command('log <chore>')
  .description('what happened, run by run')
  .action((choreId: string) => ask({ ask: 'log', choreId }))

const plain = {
  enable: 'let the scheduler fire',
  disable: 'keep the scheduler from firing',
  trigger: 'run it now; a stopped chore runs once and stays stopped',
  start: 'enable it, run it now, and book the next run',
  pause: 'hold it back and end its run; its next run is kept',
  resume: 'let a paused chore go on',
  stop: 'disable it, clear its schedule, end its run',
  'stop-chore': 'emergency: end its run and disarm it until it is enabled or triggered',
} as const

for (const verb of Object.keys(plain) as (keyof typeof plain)[])
  program
    .command(`${verb} <chore>`)
    .description(plain[verb])
    .action((choreId: string) => control(choreId, { verb }))

program
  .command('interval <chore>')
  .description('how often it runs, from the next fire on')
  .argument('<seconds>', 'the interval, or the shortest one', seconds)
  .argument('[max]', 'the longest interval; each is then drawn at random', seconds)
  .action((choreId: string, shortest: number, longest?: number) =>
    control(choreId, { verb: 'interval', seconds: shortest, maxSeconds: longest ?? null }),
  )

program
  .command('timeout <chore>')
  .description('how long a task may run')
  .argument('<seconds>', 'the timeout', seconds)
  .action((choreId: string, limit: number) => control(choreId, { verb: 'timeout', seconds: limit }))

program
  .command('schedule <chore>')
  .description('enable it, and run it first at an instant')
  .argument('<instant>', 'such as 2026-02-01T09:00:00Z', moment)
  .action((choreId: string, at: Instant) => control(choreId, { verb: 'schedule', at }))

program
  .command('stop-all')
  .description('emergency: stop every chore')
  .action(() => ask({ ask: 'stop-all' }))

try {
  await program.parseAsync()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
