/**
 * Three weeks of chores in a few seconds: three parties, each with its node, under one virtual clock. Ada's node keeps
 * its log in a real folder, and in the second week it dies in the middle of a run. Run it with `npm run sample:chores`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { instant, plus, toMillis, type Node } from 'carillon'
import { EmbeddedStore } from 'carillon/logs'
import { VirtualNetwork } from 'carillon/testing'
import { createChoresApp, createGovernanceApp, type ChoresApp } from './app.js'
import { archiveProposalsId, confirmFollowingId, refreshVotingPowerId } from './chores.js'
import { describeEntry, describeStatus } from './describe.js'
import { CreateNeuron, Follow, Following, populate } from './governance.js'

const monday = instant('2026-01-05T00:00:00.000Z')
const folder = mkdtempSync(join(tmpdir(), 'carillon-chores-'))

const say = (text: string): void => {
  console.log(text)
}

/** Neurons of three parties, settled proposals, and whom Ada follows. */
const prepare = async (network: VirtualNetwork, ada: Node): Promise<void> => {
  await populate(ada)
  for (const name of ['Bela', 'Carol']) {
    await network.node(name).run(CreateNeuron, { neuronId: `${name}-1`, isDissolved: false })
    await ada.run(Follow, { followee: network.party(name) })
  }
}

try {
  let chores: ChoresApp = createChoresApp()
  const network = await VirtualNetwork.start({
    start: monday,
    development: false,
    parties: {
      Ada: { app: chores.app, store: EmbeddedStore.open(join(folder, 'ada.sqlite')) },
      Bela: { app: createGovernanceApp() },
      Carol: { app: createGovernanceApp() },
    },
  })
  const showStatuses = async (): Promise<void> => {
    for (const status of await chores.engine.getAllStatuses()) say(describeStatus(status, network.now))
  }
  /** Who has answered Ada, as her ledger has it. */
  const answers = async (): Promise<string> =>
    (await network.node('Ada').states(Following))
      .map(({ data }) => `${data.followee.name} ${data.answeredAt === null ? 'has not answered' : 'has answered'}`)
      .toSorted()
      .join(', ')
  await chores.connect(network.node('Ada'))
  await prepare(network, network.node('Ada'))
  await network.crash('Carol')

  say(`${monday}  Ada has three neurons (one of them dissolved) and 250 settled proposals, and follows Bela and Carol,`)
  say('                          whose node is down. All three chores are started\n')
  for (const id of [refreshVotingPowerId, archiveProposalsId, confirmFollowingId])
    await chores.engine.control(id, { verb: 'start' }, { by: 'cli:caretaker' })
  await network.advanceTo(plus(monday, { minutes: 10 }))
  say(`${network.now}  ${await answers()}:`)
  await showStatuses()
  await network.restart('Carol')
  await network.advanceTo(plus(monday, { days: 6, hours: 23 }))
  say(`\n${network.now}  Carol's node came back after ten minutes: ${await answers()}. Nearly a week later:`)
  await showStatuses()

  const secondMonday = plus(monday, { weeks: 1 })
  await network.advanceTo(plus(secondMonday, { seconds: 15 }))
  say(`\n${network.now}  in the middle of the second run:`)
  await showStatuses()
  await network.crash('Ada')
  network.clock.setTo(toMillis(plus(secondMonday, { hours: 2 })))
  say(`${network.now}  … the process was killed; this is the next one, two hours later. The run begins again:`)
  // Chores and closures are made anew; everything else is in the log.
  chores = createChoresApp()
  await chores.connect(await network.restart('Ada', { app: chores.app }))
  await network.runUntilQuiet()
  await showStatuses()

  await network.advanceTo(plus(monday, { weeks: 3 }))
  say(`\n${network.now}  three weeks are over:`)
  await showStatuses()

  say('\nThe second week of the voting power, from the log:')
  const entries = await chores.engine.getRunLog(refreshVotingPowerId, { run: 2 })
  for (const entry of entries) say(describeEntry(entry))
  for (const name of network.names) await network.stop(name)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
