/**
 * What dear questions cost those who wait for ticks: twenty searches by text at once, over and over, while flows are run.
 */
import { startNode, type Node } from 'carillon'
import { readLocalToken, serveHttp } from 'carillon/http'
import { fill, holdingApp } from '../holdingApp.js'
import { quantile } from '../statistics.js'
import { context, fullDurability, less, noSeed, type Figures, type Workload } from '../Workload.js'

const atOnce = 20

/** One flow of one transaction after the other, and how long each took. */
const timesOf = async (node: Node, first: number, count: number): Promise<readonly number[]> => {
  const times: number[] = []
  for (let number = first; number < first + count; number++) {
    const startedMs = performance.now()
    await fill(node, number, number + 1, 100)
    times.push(performance.now() - startedMs)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return times
}

export const questions: Workload = {
  name: 'questions',
  measures:
    'Flows of one transaction one after the other, without and with twenty searches by text under way all the time that look at 20,000 of 100,000 states each: how long a flow takes from the call to its durable end, and a search from the request to the answer.',
  doesNotMeasure: 'Questions of tokens, which have a share: these are the owner’s, which has none.',
  durability: fullDurability,
  seed: noSeed,
  repetitions: 1,
  run: async ({ quick, folder }): Promise<Figures> => {
    const states = quick ? 2_000 : 100_000
    const flows = quick ? 50 : 2_000
    const node = await startNode({ app: holdingApp, store: folder })
    await fill(node, 0, states, states / 50)
    const localToken = readLocalToken(folder)
    const server = await serveHttp({ node }, { localToken, requestsPerSecond: 1_000_000 })
    let isOver = false
    const searchMs: number[] = []
    const search = async (): Promise<void> => {
      const startedMs = performance.now()
      const answer = await fetch(`${server.url}/api/v1/states?text=nothing-of-the-kind`, {
        headers: { authorization: `Bearer ${localToken.text}` },
      })
      await answer.text()
      if (!answer.ok) throw new Error(`A search was answered with ${answer.status}`)
      searchMs.push(performance.now() - startedMs)
    }
    const searchOn = async (): Promise<void> => {
      while (!isOver) await search()
    }
    // The first one starts the thread.
    await search()
    searchMs.length = 0
    const without = await timesOf(node, states, flows)
    const searches = Array.from({ length: atOnce }, searchOn)
    const beside = await timesOf(node, states + flows, flows)
    isOver = true
    await Promise.all(searches)
    await server.close()
    await node.stop()
    return {
      'a flow, p50, without questions': less(quantile(without, 0.5), 'ms'),
      'a flow, p50, with questions': less(quantile(beside, 0.5), 'ms'),
      'a flow, p99, without questions': less(quantile(without, 0.99), 'ms'),
      'a flow, p99, with questions': less(quantile(beside, 0.99), 'ms'),
      'p99 apart': less(Math.max(0, quantile(beside, 0.99) - quantile(without, 0.99)), 'ms'),
      'a search, p50': less(quantile(searchMs, 0.5), 'ms'),
      'searches answered': context(searchMs.length, ''),
    }
  },
}
