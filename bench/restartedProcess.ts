/**
 * The process that `restarted.ts` starts: a node on a store, which reports how long it took to come back.
 *
 * Arguments: `ready`, `idle`, `fired` or `held`; the store folder; how many activities are to fire, how many
 * milliseconds it is to be idle, or where the clock is held.
 */
import { argv, exit, memoryUsage, stdout, uptime } from 'node:process'
import { startNode } from 'carillon'
import { decodeEvent } from 'carillon/logs'
import { HeldClock } from './HeldClock.js'
import { pulseApp } from './pulseApp.js'
import type { RestartReport } from './restarted.js'

const [, , until = 'ready', store = '', text = '0'] = argv
const number = Number(text)

const report = (times: Pick<RestartReport, 'startMs' | 'firstMs' | 'allMs'>): void => {
  const whole: RestartReport = {
    ...times,
    sinceProcessStartMs: uptime() * 1_000,
    rssMB: memoryUsage.rss() / 1_048_576,
  }
  stdout.write(JSON.stringify(whole), () => exit(0))
}

if (until === 'held') {
  // Before the due instant, and staying there: everything is still to come when the process is killed.
  await startNode({ app: pulseApp, store, clock: new HeldClock(number) })
  stdout.write('ready\n')
  setInterval(() => undefined, 1_000)
} else {
  const startedMs = performance.now()
  const sinceStart = (): number => performance.now() - startedMs
  const node = await startNode({ app: pulseApp, store })
  const startMs = sinceStart()
  const { head } = node
  let fired = 0
  let firstMs = Infinity
  const note = (ended: number, atMs: number): void => {
    if (ended > 0) firstMs = Math.min(firstMs, atMs)
    fired += ended
    if (until === 'fired' && fired >= number) report({ startMs, firstMs, allMs: sinceStart() })
  }
  node.follow((committed) => note(committed.count('FlowEnded'), sinceStart()))
  if (until === 'ready' || until === 'idle') {
    if (until === 'idle') await new Promise((resolve) => setTimeout(resolve, number))
    report({ startMs, firstMs: startMs, allMs: startMs })
  } else {
    // The tick that records the start has room for more, and nobody could follow it yet.
    for await (const tick of node.readLog(head.revision)) {
      if (tick.number !== head.tick) continue
      const types = tick.events.map((line, index) => decodeEvent(line, tick.firstRevision + index).type)
      note(types.filter((type) => type === 'FlowEnded').length, startMs)
    }
  }
}
