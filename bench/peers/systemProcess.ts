/**
 * The process that runs a system, as an app of its users would: it connects, schedules, works and dies by order.
 */
import { openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { cwd, kill, pid, version } from 'node:process'
import { successorOf, type Job } from './Job.js'
import { nowMs, type AnswerTo, type Jobs, type OrderName, type OrderOf } from './Orders.js'
import type { Client, System } from './System.js'
import { isSystemName, systems } from './systems.js'

type Answers = { readonly [Name in OrderName]: (order: OrderOf<Name>) => Promise<AnswerTo<Name>> }

let system: System | undefined
let client: Client | undefined
const runAtMs: number[] = []
const runLatenessMs: number[] = []

const loaded = (): System => {
  if (system === undefined) throw new Error('No system is loaded yet.')
  return system
}
const opened = (): Client => {
  if (client === undefined) throw new Error('No system is open yet.')
  return client
}

const versionOf = (name: string): string => {
  // It runs in the folder of the packages, wherever this file was compiled to.
  const manifest: unknown = JSON.parse(readFileSync(join(cwd(), 'node_modules', name, 'package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '?'
}

const jobsOf = ({ first, count, dueMs, apartMs = 0, everyMs = 0, beats = 1 }: Jobs): readonly Job[] =>
  Array.from({ length: count }, (_, index) => ({
    id: first + index,
    dueMs: dueMs + index * apartMs,
    everyMs,
    beatsLeft: beats - 1,
  }))

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Takes work until there is none or the time is up, so many at once; how much was done. */
const inLanes = async <Work>(
  works: readonly Work[],
  lanes: number,
  limitMs: number,
  run: (work: Work) => Promise<void>,
): Promise<number> => {
  const untilMs = nowMs() + limitMs
  let next = 0
  const lane = async (): Promise<void> => {
    while (nowMs() < untilMs) {
      const work = works[next++]
      if (work === undefined) return
      await run(work)
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, works.length) }, lane))
  return Math.min(next, works.length)
}

const inParts = (jobs: readonly Job[], size: number): readonly (readonly Job[])[] =>
  Array.from({ length: Math.ceil(jobs.length / size) }, (_, part) => jobs.slice(part * size, (part + 1) * size))

const answers: Answers = {
  load: async ({ system: name }) => {
    if (!isSystemName(name)) throw new Error(`No system is named ${name}.`)
    const { packages, settings } = (system = await systems[name].load())
    return { versions: Object.fromEntries(packages.map((each) => [each, versionOf(each)])), settings, node: version }
  },
  open: async ({ address, work, notesFile, killAfter = Infinity }) => {
    const notes = notesFile === undefined ? undefined : openSync(notesFile, 'a')
    const handle = (job: Job): Job | undefined => {
      const atMs = nowMs()
      runAtMs.push(atMs)
      runLatenessMs.push(atMs - job.dueMs)
      if (notes !== undefined) writeSync(notes, `${job.id}\n`)
      if (runAtMs.length === killAfter) kill(pid, 'SIGKILL')
      return successorOf(job)
    }
    const askedMs = nowMs()
    client = await loaded().open(address, work ? handle : undefined)
    return { askedMs, openedMs: nowMs() }
  },
  schedule: async ({ jobs, bulk, limitMs }) => {
    const all = jobsOf(jobs)
    const { callsInFlight, bulk: parts } = loaded()
    const startedMs = nowMs()
    const scheduled = bulk
      ? (await inLanes(inParts(all, parts.perCall), parts.callsInFlight, limitMs, opened().scheduleMany)) *
        parts.perCall
      : await inLanes(all, callsInFlight, limitMs, opened().scheduleOne)
    return { scheduled: Math.min(scheduled, all.length), tookMs: nowMs() - startedMs }
  },
  flows: async ({ steps, count, inFlight, pauseMs, limitMs }) => {
    const { runFlow } = opened()
    if (runFlow === undefined) throw new Error('It has no flows of several steps.')
    const tookMs: number[] = []
    const startedMs = nowMs()
    await inLanes(
      Array.from({ length: count }, (_, number) => number),
      inFlight,
      limitMs,
      async () => {
        const askedMs = nowMs()
        await runFlow(steps)
        tookMs.push(nowMs() - askedMs)
        if (pauseMs > 0) await pause(pauseMs)
      },
    )
    return { tookMs, allMs: nowMs() - startedMs }
  },
  awaitRuns: async ({ count, limitMs }) => {
    const untilMs = nowMs() + limitMs
    while (runAtMs.length < count && nowMs() < untilMs) await pause(5)
    return { runs: runAtMs.length }
  },
  awaitFinished: async ({ limitMs }) => {
    const untilMs = nowMs() + limitMs
    while (true) {
      const atMs = nowMs()
      const unfinished = await opened().unfinished()
      if (unfinished === 0 || atMs > untilMs) return { atMs, unfinished }
      await pause(10)
    }
  },
  unfinished: () => opened().unfinished(),
  runs: () => Promise.resolve({ atMs: runAtMs, latenessMs: runLatenessMs }),
}

type Order = { readonly id: number; readonly name: OrderName; readonly order: never }

process.on('message', ({ id, name, order }: Order) => {
  answers[name](order).then(
    (answer) => process.send?.({ id, answer }),
    (error: unknown) =>
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
