/**
 * Three weeks of chores in a few seconds: the clock is virtual, the store is a real folder, and in the second week the
 * process dies in the middle of a run. Run it with `npm run sample:chores`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { instant, plus, startNode, toMillis, type Instant, type Node } from 'carillon'
import { VirtualClock } from 'carillon/testing'
import { createChoresApp, type ChoresApp } from './app.js'
import { archiveProposalsId } from './archiveProposals.js'
import { describeEntry, describeStatus } from './describe.js'
import { CreateNeuron } from './governance/Neuron.js'
import { SettleProposals } from './governance/Archive.js'
import { refreshVotingPowerId } from './refreshVotingPower.js'

const monday = instant('2026-01-05T00:00:00.000Z')
const folder = mkdtempSync(join(tmpdir(), 'carillon-chores-'))
const clock = new VirtualClock(monday)

type Process = { readonly node: Node; readonly chores: ChoresApp }

/** A new process on the same store: chores and closures are made anew, everything else is in the log. */
const begin = async (): Promise<Process> => {
  const chores = createChoresApp()
  const node = await startNode({ app: chores.app, store: folder, clock })
  await chores.connect(node)
  return { node, chores }
}

const advanceTo = async (node: Node, until: Instant): Promise<void> => {
  await node.idle()
  for (let next = clock.nextWakeMs(); next !== undefined && next <= toMillis(until); next = clock.nextWakeMs()) {
    clock.setTo(next)
    await new Promise((resolve) => setImmediate(resolve))
    await node.idle()
  }
  clock.setTo(toMillis(until))
  await node.idle()
}

const say = (text: string): void => {
  console.log(text)
}

const showStatuses = ({ chores }: Process): void => {
  for (const status of chores.deskOf('auditor').getChoreStatuses()) say(describeStatus(status, clock.instant))
}

try {
  let process = await begin()
  for (const [neuronId, isDissolved] of [
    ['neuron-1', false],
    ['neuron-2', true],
    ['neuron-3', false],
  ] as const)
    await process.node.run(CreateNeuron, { neuronId, isDissolved })
  await process.node.run(SettleProposals, { count: 250 })

  say(`${monday}  three neurons (one of them dissolved) and 250 settled proposals; both chores are started\n`)
  const desk = process.chores.deskOf('caretaker')
  await desk.control(refreshVotingPowerId, { verb: 'start' })
  await desk.control(archiveProposalsId, { verb: 'start' })
  await advanceTo(process.node, plus(monday, { days: 6, hours: 23 }))
  showStatuses(process)

  const secondMonday = plus(monday, { weeks: 1 })
  await advanceTo(process.node, plus(secondMonday, { seconds: 15 }))
  say(`\n${clock.instant}  in the middle of the second run:`)
  showStatuses(process)
  await process.node.crash()
  clock.setTo(toMillis(plus(secondMonday, { hours: 2 })))
  say(`${clock.instant}  … the process was killed; this is the next one, two hours later. The run begins again:`)
  process = await begin()
  await process.node.idle()
  showStatuses(process)

  await advanceTo(process.node, plus(monday, { weeks: 3 }))
  say(`\n${clock.instant}  three weeks are over:`)
  showStatuses(process)

  const deskOfAuditor = process.chores.deskOf('auditor')
  say('\nThe second week of the voting power, from the log:')
  for (const entry of await deskOfAuditor.getChoreLog(refreshVotingPowerId, { run: 2 })) say(describeEntry(entry))
  await process.node.stop()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
