/**
 * What `npm run sample:heartbeat` runs: one node, live, with a heart in it. Stop it as you like, and start it again. It
 * listens to the node and tells of every beat; whether someone listens makes no difference to the heart.
 */
import { parseArgs, styleText } from 'node:util'
import { startNode, type Instant, type Node, type StateRef } from 'carillon'
import type { PublicEventOf } from 'carillon/events'
import { quoted, runCommand, untilTold, wholeNumber } from '../shared/commandLine.js'
import { app, BeatenC, SkippedC, StartHeartbeat, StopHeartbeat, type Beaten } from './app.js'
import { Heartbeat, type Heart } from './Heartbeat.js'

const usage = `npm run sample:heartbeat -- [options]

  --beats N       stop after N beats
  --interval MS   milliseconds between beats of a new heart (1000)
  --skip-missed   a new heart skips the beats it has missed, instead of making up for them
  --stop          end the life of the heart and go
  --store FOLDER  where the log is kept (data/heartbeat)
  --help          this text
`

const usualStore = 'data/heartbeat'

// --- plain lines, with colour only where a terminal shows it

const dim = (text: string): string => styleText('dim', text)
const bold = (text: string): string => styleText('bold', text)

const say = (...lines: readonly string[]): void => {
  process.stdout.write(`${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`)
}
const sayTrouble = (what: string): void => say(styleText('yellow', what))
const sayHints = (title: string, tips: readonly (readonly [does: string, command: string])[]): void => {
  const width = Math.max(...tips.map(([does]) => does.length))
  say('', bold(title), ...tips.map(([does, how]) => `  ${does.padEnd(width)}  ${dim(how)}`), '')
}

const count = (n: number, noun: string): string => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`
const span = (ms: number): string => {
  if (ms < 1_000) return `${ms} ms`
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`
  return ms < 7_200_000 ? `${(ms / 60_000).toFixed(1)} min` : `${(ms / 3_600_000).toFixed(1)} h`
}
const late = (ms: number): string => (ms <= 0 ? 'on time' : `${span(ms)} late`)
const clockTime = (at: Instant): string => at.slice(11)
const every = (ms: number): string => (ms === 1_000 ? 'second' : span(ms))

const sayBeat = ({ beat, due, latenessMs, nextBeatAt }: Beaten): void => {
  const heart = styleText(beat % 2 === 0 ? 'redBright' : 'red', '♥')
  const times = `due ${clockTime(due)}  ${late(latenessMs).padEnd(13)}`
  say(`${heart} ${bold(`beat ${String(beat).padStart(5)}`)}  ${times} ${dim(`next ${clockTime(nextBeatAt)}`)}`)
}
const sayAway = (due: Instant, latenessMs: number, missed: number, plan: string): void =>
  say(`It was away: ${count(missed, 'beat')} fell due since ${due}, ${span(latenessMs)} ago.`, plan, '')

// --- what is heard of the heart

/** Of the beats that are made up for, so many are shown before the rest is told in short. */
const shownOfMany = 5

/** Tells of every beat; a long series of beats that are made up for is told in short. */
class Pulse {
  /** Set while missed beats are made up for. */
  #madeUp: { beats: number; readonly sinceMs: number } | undefined
  /** The state whose activity was started last. */
  lastStarted: StateRef | undefined
  beats = 0

  constructor(readonly onBeat: (beats: number) => void) {}

  readonly hear = (event: PublicEventOf<'FlowStarted' | 'FlowEnded'>): void => {
    if (event.type === 'FlowStarted') {
      if (event.origin.kind === 'activity') this.lastStarted = event.origin.ref
      return
    }
    if (event.outcome === 'failed') sayTrouble(`A flow failed: ${event.error?.message ?? ''}`)
    // What a flow answers tells a beat from a skip, and both from anything else.
    if (BeatenC.is(event.result)) this.#beat(event.result)
    if (!SkippedC.is(event.result)) return
    const { due, latenessMs, skipped, nextBeatAt } = event.result
    sayAway(due, latenessMs, skipped, 'It is a heart that skips what it has missed, so it does.')
    say(`» ${count(skipped, 'beat')} skipped; the next one is due at ${clockTime(nextBeatAt)}, on the same grid.`, '')
  }

  #beat(beaten: Beaten): void {
    const { beat, latenessMs, intervalMs, due } = beaten
    if (latenessMs > intervalMs && this.#madeUp === undefined) {
      this.#madeUp = { beats: 0, sinceMs: performance.now() }
      const plan = 'They are made up for now, one by one and in order; the log keeps how late each of them was.'
      sayAway(due, latenessMs, Math.ceil(latenessMs / intervalMs), plan)
    }
    const madeUp = this.#madeUp
    if (madeUp !== undefined) madeUp.beats += 1
    const nth = madeUp?.beats ?? 0
    if (nth <= shownOfMany) sayBeat(beaten)
    else if (nth === shownOfMany + 1) say(dim(`… beat ${String(beat).padStart(5)}  and on, ${late(latenessMs)}`))
    if (madeUp !== undefined && latenessMs <= intervalMs) {
      const tookMs = Math.round(performance.now() - madeUp.sinceMs)
      say('', `All ${count(nth, 'missed beat')} made up for, in ${span(tookMs)}. Back in time.`, '')
      this.#madeUp = undefined
    }
    this.beats += 1
    this.onBeat(this.beats)
  }
}

// --- the command

/** The command that was typed, again: of the heart that is in this store. */
const again = (store: string, ...options: readonly string[]): string => {
  const given = [...options, ...(store === usualStore ? [] : ['--store', quoted(store)])]
  return ['npm run sample:heartbeat', ...(given.length === 0 ? [] : ['--', ...given])].join(' ')
}

type Wanted = Pick<Heart, 'intervalMs' | 'missedBeats'>

const findOrStart = async (node: Node, store: string, { intervalMs, missedBeats }: Wanted): Promise<StateRef> => {
  const [found] = await node.states(Heartbeat)
  if (found === undefined) {
    const name = 'Emmanuel'
    const { heartbeat, nextBeatAt } = await node.run(StartHeartbeat, { name, intervalMs, missedBeats })
    say(
      `A heart named ${name} has been started. It beats every ${every(intervalMs)}; each beat is a transaction`,
      `in the log, on disk before you read about it. The first is due at ${clockTime(nextBeatAt)}.`,
    )
    return heartbeat
  }
  const { data } = found
  say(
    `Here is ${data.name} again, a heart that was started at ${data.startedAt} and beats every ${every(data.intervalMs)}.`,
  )
  if (missedBeats === 'skip' && data.missedBeats !== 'skip')
    say(
      'It makes up for missed beats, as it was told when it was started. For one that skips them:',
      `  ${again(store, '--stop')} && ${again(store, '--skip-missed')}`,
    )
  return found.ref
}

const stopHeart = async (node: Node): Promise<void> => {
  const [found] = await node.states(Heartbeat)
  if (found === undefined) {
    say('There is no heart to stop.', '')
    return
  }
  const { name } = found.data
  const { beats } = await node.run(StopHeartbeat, { name })
  say(`${name} has stopped, after ${beats.toLocaleString('en')} beats. Its story stays in the log.`, '')
}

await runCommand(async () => {
  const { values: options } = parseArgs({
    options: {
      beats: { type: 'string' },
      interval: { type: 'string', default: '1000' },
      'skip-missed': { type: 'boolean', default: false },
      stop: { type: 'boolean', default: false },
      store: { type: 'string', default: usualStore },
      help: { type: 'boolean', default: false },
    },
  })
  if (options.help) return void process.stdout.write(usage)
  const { store } = options
  const intervalMs = wholeNumber('--interval', options.interval, 1)
  const beatsToGo = options.beats === undefined ? Infinity : wholeNumber('--beats', options.beats, 1)
  const { told, tell } = untilTold()
  const pulse = new Pulse((beats) => {
    if (beats === beatsToGo) tell()
  })
  const node = await startNode({
    app,
    store,
    party: 'Quasimodo',
    onFailure: (error) => {
      sayTrouble(error.message)
      process.exitCode = 1
      tell()
    },
  })
  const sinceStart = node.head.revision + 1
  say('', `${bold('Carillon heartbeat')}${dim(`  ·  process ${process.pid}  ·  store ${store}`)}`, '')
  if (options.stop) {
    await stopHeart(node)
    return node.stop()
  }

  const missedBeats = options['skip-missed'] ? 'skip' : 'catch-up'
  const heartbeat = await findOrStart(node, store, { intervalMs, missedBeats })
  const atStore = `--store ${quoted(store)}`
  sayHints('In another terminal:', [
    ['what is due next', `npx carillon agenda ${atStore}`],
    ['how the node is', `npx carillon status ${atStore}`],
    ['a death without a goodbye', `kill -9 ${process.pid}`],
  ])
  if (node.isDraining) sayTrouble(`The node is draining, so nothing beats until: npx carillon drain end ${atStore}`)
  node.subscribe({ from: sinceStart, types: ['FlowStarted', 'FlowEnded'], on: pulse.hear })
  await told
  const isAlive = (await node.states(Heartbeat)).length > 0
  await node.stop()

  const { transaction, index } = pulse.lastStarted ?? heartbeat
  const fate = isAlive
    ? 'The heart itself is not dead, only nobody is there to beat it.'
    : 'The life of the heart has ended.'
  sayHints(`Stopped after ${pulse.beats.toLocaleString('en')} beats. ${fate}`, [
    [isAlive ? 'wait a while, and start it again' : 'begin another one', again(store)],
    ['why it last beat when it did', `npx carillon why ${transaction.slice(0, 12)}:${index} ${atStore}`],
    ['what is due next', `npx carillon agenda ${atStore}`],
    ...(isAlive ? [['end its life', again(store, '--stop')] as const] : []),
  ])
})
