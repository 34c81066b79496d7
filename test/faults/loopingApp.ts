/**
 * A process whose app has code that never returns, for a spec to watch and to kill. Its arguments: the store, which code
 * loops, the port of its health, and `first` for the run that makes the state.
 */
import * as t from 'io-ts'
import { right } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import {
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineState,
  instantFromMillis,
  InstantC,
  PartyC,
  startNode,
  type FlowBody,
} from 'carillon'

const [store = '', code = '', port = '0', run = ''] = process.argv.slice(2)

let isLooping = run !== 'first'
const loop = (): void => {
  while (isLooping) Math.sqrt(2)
}
const loopIn = (where: string, name: string): void => {
  if (code === where && name === 'odd') loop()
}

const Contract = defineContract({
  name: 'loops/Contract',
  verify: ({ outputs }) => {
    for (const { data } of outputs) if ((data as { name: string }).name === 'odd again') loopIn('contract', 'odd')
    return right(undefined)
  },
})
const Task = defineState({
  type: 'loops/Task',
  contract: Contract,
  data: t.strict({ owner: PartyC, name: t.string, at: InstantC }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ name, at }) => {
    loopIn('nextScheduledActivity', name)
    return some(Work.at(at, { name }))
  },
})
const Do = defineCommand({ type: 'loops/Do' })
const Work = defineFlow({
  name: 'loops/Work',
  schedulable: true,
  leavesState: true,
  input: t.strict({ name: t.string }),
  *run(io, { name }): FlowBody<string> {
    loopIn('flow', name)
    if (code === 'contract' && name === 'odd') {
      const at = instantFromMillis(Date.now() + 1e9)
      yield* io.finalise((tx) => tx.produce(Task, { owner: io.me, name: 'odd again', at }).command(Do, [io.me]))
    }
    yield* io.step('work', () => {
      loopIn('step', name)
      return Promise.resolve(1)
    })
    return name
  },
})
const Make = defineFlow({
  name: 'loops/Make',
  input: t.strict({ at: InstantC }),
  *run(io, { at }): FlowBody<null> {
    for (const name of ['odd', 'healthy'])
      yield* io.finalise((tx) => tx.produce(Task, { owner: io.me, name, at }).command(Do, [io.me]))
    return null
  },
})

const app = defineApp({ name: 'loops', states: [Task], flows: [Work, Make] })
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
const node = await startNode({
  app,
  store,
  healthOn: `127.0.0.1:${port}`,
  logger,
  limits: { engine: { codeReturnsMs: 300, watchdogLookMs: 50, startsNotReturned: 2 } },
})
if (run === 'first') {
  await node.run(Make, { at: instantFromMillis(Date.now() + 400) })
  isLooping = true
}
await new Promise((resolve) => setTimeout(resolve, 1_500))
const attention = await node.agenda({ show: 'attention' })
const flows = await node.flows()
const result = {
  parked: attention.items.map(({ error }) => error?.code),
  flows: flows.items.map(({ name, status, error }) => `${name} ${status} ${error?.code ?? ''}`.trim()),
}
await node.stop()
process.stdout.write(`${JSON.stringify(result)}\n`)
