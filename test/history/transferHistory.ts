/**
 * Hands a long history from one party to another: nodes on disk and TLS between them, a receiver that is killed half
 * way. Gives what it cost, having seen that every transaction was recorded once and no tick was large.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChangeNotary, startNode, type Node, type StateRef } from 'carillon'
import { makeNetwork } from 'carillon/network'
import type { NodeOptions } from 'carillon/types'
import { app, Grow, Link, Share } from '../session/chain.js'

export type TransferReport = {
  readonly beats: number
  readonly grownMs: number
  readonly transferMs: number
  /** From the restart of the receiver until it has recorded something more. */
  readonly resumedMs: number
  readonly heldWhenKilled: number
  readonly recorded: number
  readonly recordedTwice: number
  readonly largestTickBytes: number
  /** Longest time the process of the three nodes did nothing but one turn of its loop, waiting for a core not counted. */
  readonly longestTurnMs: number
  readonly peakMemoryBytes: number
  readonly storeBytes: Readonly<Record<string, number>>
}

const perFlow = 500

const grow = async (node: Node, beats: number, tell: (line: string) => void): Promise<StateRef> => {
  let last: StateRef | null = null
  for (let grown = 0; grown < beats; grown += perFlow) {
    last = await node.run(Grow, { from: last, steps: Math.min(perFlow, beats - grown), notary: node.party })
    if (grown % 50_000 === 0) tell(`${grown} beats`)
  }
  if (last === null) throw new Error('nothing grew')
  return last
}

const eventually = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** How often each transaction is in a node's log, and the bytes of its largest tick. */
const readBack = async (node: Node) => {
  const seen = new Set<string>()
  let twice = 0
  let largestTickBytes = 0
  for await (const { events } of node.readLog()) {
    let bytes = 0
    for (const line of events) {
      bytes += Buffer.byteLength(line)
      if (!line.includes('"type":"TransactionRecorded"')) continue
      const { id } = JSON.parse(line) as { readonly id: string }
      if (seen.has(id)) twice += 1
      seen.add(id)
    }
    largestTickBytes = Math.max(largestTickBytes, bytes)
  }
  return { recorded: seen.size, twice, largestTickBytes }
}

/** Watches how long the event loop is held up by work, and how much memory the process has taken. */
const watch = () => {
  let longestTurnMs = 0
  let peakMemoryBytes = 0
  let lastMs = performance.now()
  let lastCpu = process.cpuUsage()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    const { user, system } = process.cpuUsage(lastCpu)
    // On a busy machine a process also waits for its turn on a core, which says nothing about the program.
    longestTurnMs = Math.max(longestTurnMs, Math.min(nowMs - lastMs - 10, (user + system) / 1_000))
    lastMs = nowMs
    lastCpu = process.cpuUsage()
    peakMemoryBytes = Math.max(peakMemoryBytes, process.memoryUsage.rss())
  }, 10)
  return () => {
    clearInterval(timer)
    return { longestTurnMs, peakMemoryBytes }
  }
}

export const transferHistory = async (
  beats: number,
  tell: (line: string) => void = () => undefined,
): Promise<TransferReport> => {
  const scratch = mkdtempSync(join(tmpdir(), 'carillon-history-'))
  try {
    const { folder } = await makeNetwork(join(scratch, 'local'), {
      members: [{ name: 'Alice' }, { name: 'Bob' }, { name: 'Notary', notary: 'nonValidating' }],
    })
    const optionsOf = (name: string): NodeOptions => ({ app, networkFolder: join(folder, name) })
    const alice = await startNode(optionsOf('Alice'))
    const notary = await startNode(optionsOf('Notary'))
    let held = 0
    let more: () => void = () => undefined
    const count: Parameters<Node['follow']>[0] = (committed) => {
      const fresh = committed.count('TransactionRecorded')
      if (fresh > 0) more()
      if (Math.floor((held + fresh) / 20_000) > Math.floor(held / 20_000)) tell(`${held + fresh} handed over`)
      held += fresh
    }
    let bob = await startNode(optionsOf('Bob'))
    bob.follow(count)
    const growingMs = performance.now()
    const own = await grow(alice, beats, tell)
    const grownMs = performance.now() - growingMs
    tell(`${beats} beats in ${Math.round(grownMs / 1_000)} s`)
    const [link] = await alice.run(ChangeNotary, { states: [own], notary: notary.party })
    if (link === undefined) throw new Error('no change of notary')
    const stop = watch()
    const transferringMs = performance.now()
    const shared = await alice.start(Share, {
      links: [link],
      signers: [bob.party],
      participants: [bob.party],
      observers: [],
      dueAt: null,
    })
    await eventually(() => held >= beats / 2)
    const heldWhenKilled = held
    await bob.crash()
    tell(`killed with ${heldWhenKilled}`)
    const restartedMs = performance.now()
    bob = await startNode(optionsOf('Bob'))
    bob.follow(count)
    await new Promise<void>((resolve) => {
      more = resolve
    })
    const resumedMs = performance.now() - restartedMs
    tell(`resumed in ${Math.round(resumedMs)} ms`)
    const ref = await shared.result()
    const transferMs = performance.now() - transferringMs
    const { longestTurnMs, peakMemoryBytes } = stop()
    if ((await bob.state(Link, ref)) === undefined) throw new Error('Bob does not hold what was shared')
    const { recorded, twice, largestTickBytes } = await readBack(bob)
    await Promise.all([alice.stop(), bob.stop(), notary.stop()])
    const storeBytes = Object.fromEntries(
      ['Alice', 'Bob'].map((name) => [name, statSync(join(folder, name, 'carillon.db')).size]),
    )
    return {
      beats,
      grownMs,
      transferMs,
      resumedMs,
      heldWhenKilled,
      recorded,
      recordedTwice: twice,
      largestTickBytes,
      longestTurnMs,
      peakMemoryBytes,
      storeBytes,
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
