/**
 * What `npm run sample:heartbeat` runs: one node, live, with a heart in it. Stop it as you like, and start it again. It
 * listens to the node and tells of every beat; whether someone listens makes no difference to the heart.
 */
import { parseArgs, styleText } from 'node:util'
import { startNode, type Instant, type Node } from 'carillon'
import { quoted, runCommand, untilTold, wholeNumber } from '../shared/commandLine.js'
import { app, BeatenC, SkippedC, StartHeartbeat, StopHeartbeat, type Beaten, type Skipped } from './app.js'
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
/** A year; the calendar ends some day. */
const longestMs = 31_557_600_000

// --- plain lines, with colour only where a terminal shows it

const dim = (text: string): string => styleText('dim', text)
const bold = (text: string): string => styleText('bold', text)

const say = (...lines: readonly string[]): void => {
  process.stdout.write(`${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`)
}
const sayTrouble = (what: string): void => say(styleText('yellow', what))
const sayHints = (title: string, hints: Readonly<Record<string, string>>): void => {
  const width = Math.max(...Object.keys(hints).map(({ length }) => length))
  say('', bold(title), ...Object.entries(hints).map(([does, how]) => `  ${does.padEnd(width)}  ${dim(how)}`), '')
}

const count = (n: number, noun: string): string => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`
const span = (ms: number): string => {
  if (ms < 1_000) return `${ms} ms`
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`
  return ms < 7_200_000 ? `${(ms / 60_000).toFixed(1)} min` : `${(ms / 3_600_000).toFixed(1)} h`
}
const clockTime = (at: Instant): string => at.slice(11)
const every = (ms: number): string => (ms === 1_000 ? 'second' : span(ms))

const sayAway = ({ due, latenessMs }: Beaten | Skipped, missed: number, plan: string): void =>
  say(`It was away: ${count(missed, 'beat')} fell due since ${due}, ${span(latenessMs)} ago.`, plan, '')

const saySkipped = (skip: Skipped): void => {
  const { skipped, nextBeatAt } = skip
  sayAway(skip, skipped, 'It is a heart that skips what it has missed, so it does.')
  say(`» ${count(skipped, 'beat')} skipped; the next one is due at ${clockTime(nextBeatAt)}, on the same grid.`, '')
}

/** Of the beats that are made up for, so many are shown before the rest is told in short. */
const shownOfMany = 5

/** Tells of beats, one after the other; a long series that is made up for it tells in short. */
const beatTeller = (): ((beaten: Beaten) => void) => {
  let madeUp = 0
  let sinceMs = 0
  return (beaten) => {
    const { beat, due, latenessMs, intervalMs, nextBeatAt } = beaten
    const isLate = latenessMs > intervalMs
    if (isLate && madeUp === 0) {
      sinceMs = performance.now()
      const plan = 'They are made up for now, one by one and in order; the log keeps how late each of them was.'
      sayAway(beaten, Math.ceil(latenessMs / intervalMs), plan)
    }
    if (isLate || madeUp > 0) madeUp += 1
    const late = latenessMs <= 0 ? 'on time' : `${span(latenessMs)} late`
    const heart = styleText(beat % 2 === 0 ? 'redBright' : 'red', '♥')
    const nth = `beat ${String(beat).padStart(5)}`
    if (madeUp <= shownOfMany)
      say(`${heart} ${bold(nth)}  due ${clockTime(due)}  ${late.padEnd(13)} ${dim(`next ${clockTime(nextBeatAt)}`)}`)
    else if (madeUp === shownOfMany + 1) say(dim(`… ${nth}  and on, ${late}`))
    if (isLate || madeUp === 0) return
    const took = span(Math.round(performance.now() - sinceMs))
    say('', `All ${count(madeUp, 'missed beat')} made up for, in ${took}. Back in time.`, '')
    madeUp = 0
  }
}

// --- the command

/** The command that was typed, again: of the heart that is in this store. */
const again = (store: string, ...options: readonly string[]): string => {
  const given = [...options, ...(store === usualStore ? [] : ['--store', quoted(store)])]
  return ['npm run sample:heartbeat', ...(given.length === 0 ? [] : ['--', ...given])].join(' ')
}

const findOrStart = async (
  node: Node,
  again: string,
  wanted: Pick<Heart, 'intervalMs' | 'missedBeats'>,
): Promise<void> => {
  const [found] = await node.states(Heartbeat)
  if (found === undefined) {
    const name = 'Emmanuel'
    const { nextBeatAt } = await node.run(StartHeartbeat, { name, ...wanted })
    say(
      `A heart named ${name} has been started. It beats every ${every(wanted.intervalMs)}; each beat is a transaction`,
      `in the log, on disk before you read about it. The first is due at ${clockTime(nextBeatAt)}.`,
    )
    return
  }
  const { name, startedAt, intervalMs, missedBeats } = found.data
  say(`Here is ${name} again, a heart that was started at ${startedAt} and beats every ${every(intervalMs)}.`)
  if (wanted.missedBeats === 'skip' && missedBeats !== 'skip')
    say('It makes up for missed beats, as it was told when it was started. For one that skips them:', `  ${again}`)
}

const stopHeart = async (node: Node): Promise<void> => {
  const [found] = await node.states(Heartbeat)
  if (found === undefined) {
    say('There is no heart to stop.', '')
    return
  }
  const { name } = found.data
  const { beats } = await node.run(StopHeartbeat, { name })
  say(`${name} has stopped, after ${count(beats, 'beat')}. Its story stays in the log.`, '')
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
  const intervalMs = wholeNumber('--interval', options.interval, 1, longestMs)
  const beatsToGo = options.beats === undefined ? Infinity : wholeNumber('--beats', options.beats, 1)
  const { told, tell } = untilTold()
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

  const skipsInstead = `${again(store, '--stop')} && ${again(store, '--skip-missed')}`
  await findOrStart(node, skipsInstead, { intervalMs, missedBeats: options['skip-missed'] ? 'skip' : 'catch-up' })
  const atStore = `--store ${quoted(store)}`
  sayHints('In another terminal:', {
    'what is due next': `npx carillon agenda ${atStore}`,
    'how the node is': `npx carillon status ${atStore}`,
    'a death without a goodbye': `kill -9 ${process.pid}`,
  })
  if (node.isDraining) sayTrouble(`The node is draining, so nothing beats until: npx carillon drain end ${atStore}`)
  let beats = 0
  const tellBeat = beatTeller()
  node.subscribe({
    from: sinceStart,
    types: ['FlowEnded'],
    on: ({ outcome, error, result }) => {
      if (outcome === 'failed') sayTrouble(`A flow failed: ${error?.message ?? ''}`)
      // What a flow answers tells a beat from a skip, and both from anything else.
      if (SkippedC.is(result)) saySkipped(result)
      if (!BeatenC.is(result)) return
      tellBeat(result)
      beats += 1
      if (beats === beatsToGo) tell()
    },
  })
  await told
  const [heart] = await node.states(Heartbeat)
  await node.stop()

  const stopped = `Stopped after ${count(beats, 'beat')}.`
  if (heart === undefined) {
    sayHints(`${stopped} The life of the heart has ended.`, { 'begin another one': again(store) })
    return
  }
  sayHints(`${stopped} The heart is not stopped for good: it beats again when you start it.`, {
    'wait a while, and start it again': again(store),
    'why it beats next when it does': `npx carillon why ${heart.ref.transaction.slice(0, 12)}:${heart.ref.index} ${atStore}`,
    'what is due next': `npx carillon agenda ${atStore}`,
    'end its life': again(store, '--stop'),
  })
})
