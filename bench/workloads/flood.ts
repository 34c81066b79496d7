/**
 * What a member that sends as fast as it can does to a node with a heap of 1 GiB, and to another member's transactions.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startNode, type Node, type Party } from 'carillon'
import { makeNetwork } from 'carillon/network'
import { dealApp, Open } from '../dealApp.js'
import type { Told } from '../floodedProcess.js'
import { startProgram, startProgramWith } from '../ownProcess.js'
import { quantile } from '../statistics.js'
import { context, fullDurability, less, more, noSeed, type Figures, type Workload } from '../Workload.js'

const heapMiB = 1_024

/** Transactions with a party one after the other for so long, and how long each took. */
const timesOf = async (node: Node, other: Party, forMs: number): Promise<readonly number[]> => {
  const times: number[] = []
  for (const endMs = performance.now() + forMs; performance.now() < endMs;) {
    const startedMs = performance.now()
    await node.run(Open, { with: other })
    times.push(performance.now() - startedMs)
  }
  return times
}

const nodeIn = (local: string, name: string): Promise<Node> =>
  startNode({ app: dealApp, networkFolder: join(local, name) })

export const flood: Workload = {
  name: 'flood',
  measures: `Transactions that Alice and Bob sign and a notary is named in, one after the other over TLS, until Alice has her durable result: for two minutes, and for two more in which another member opens sessions with Bob and sends him messages as fast as it can. Bob’s process has a heap of ${heapMiB} MiB.`,
  doesNotMeasure: 'A machine with a core for each of the three processes, or a network between them.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 1,
  run: async ({ quick, folder }): Promise<Figures> => {
    const forMs = quick ? 3_000 : 120_000
    const { folder: local, members } = await makeNetwork(join(folder, 'local'), {
      members: [{ name: 'Alice' }, { name: 'Bob' }, { name: 'Mallory' }, { name: 'Notary', notary: 'nonValidating' }],
    })
    const bob = members.find(({ party }) => party.name === 'Bob')
    const [host = '', port = ''] = bob?.address?.split(':') ?? []
    if (bob === undefined) throw new Error('The network has no Bob')
    const victim = startProgramWith([`--max-old-space-size=${heapMiB}`], 'floodedProcess', join(local, 'Bob'))
    const told: Told[] = []
    createInterface(victim.stdout).on('line', (line) => told.push(JSON.parse(line) as Told))
    await once(victim.stdout, 'data')
    const [notary, alice] = [await nodeIn(local, 'Notary'), await nodeIn(local, 'Alice')]
    const without = await timesOf(alice, bob.party, forMs)
    const before = told.at(-1)
    const mallory = startProgram('floodProcess', join(local, 'Mallory'), host, port)
    const flooded = await timesOf(alice, bob.party, forMs)
    mallory.kill('SIGKILL')
    const hasEnded = victim.exitCode !== null || victim.signalCode !== null
    victim.kill('SIGKILL')
    await alice.stop()
    await notary.stop()
    if (hasEnded) throw new Error('The flooded process has ended')
    const last = told.at(-1)
    return {
      'a transaction, p50': less(quantile(without, 0.5), 'ms'),
      'a transaction, p50, flooded': less(quantile(flooded, 0.5), 'ms'),
      'a transaction, p99': less(quantile(without, 0.99), 'ms'),
      'a transaction, p99, flooded': less(quantile(flooded, 0.99), 'ms'),
      'transactions, flooded': more((flooded.length / forMs) * 1_000, 'a second'),
      'memory at most': less(Math.max(...told.map(({ rssMiB }) => rssMiB)), 'MiB'),
      'store grows': less((((last?.storeMiB ?? 0) - (before?.storeMiB ?? 0)) / forMs) * 60_000, 'MiB a minute'),
      'open sessions at most': context(Math.max(...told.map(({ openSessions }) => openSessions)), ''),
    }
  },
}
