/**
 * What `npm run sample:heartbeat` runs: one node, live, with a heart in it. Stop it as you like, and start it again.
 */
import { parseArgs } from 'node:util'
import { CarillonError, startNode, type Node, type StateRef } from 'carillon'
import { app } from './app.js'
import { StartHeartbeat } from './flows/StartHeartbeat.js'
import { StopHeartbeat } from './flows/StopHeartbeat.js'
import type { Heart } from './Heart.js'
import { Heartbeat } from './Heartbeat.js'
import { Pulse } from './Pulse.js'
import { Screen } from './Screen.js'

const usage = `npm run sample:heartbeat -- [options]

  --beats N       stop after N beats
  --interval MS   milliseconds between beats of a new heart (1000)
  --skip-missed   a new heart skips the beats it has missed, instead of making up for them
  --stop          end the life of the heart and go
  --store FOLDER  where the log is kept (data/heartbeat)
  --help          this text
`

const usualStore = 'data/heartbeat'

const readOptions = () =>
  parseArgs({
    options: {
      beats: { type: 'string' },
      interval: { type: 'string', default: '1000' },
      'skip-missed': { type: 'boolean', default: false },
      stop: { type: 'boolean', default: false },
      store: { type: 'string', default: usualStore },
      help: { type: 'boolean', default: false },
    },
  }).values

const wholeNumber = (name: string, text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`--${name} takes a whole number from 1, not ${text}`)
  return value
}

const screen = new Screen(process.stdout)

/** The command that was typed, again: of the heart that is in this store. */
const again = (store: string, ...options: readonly string[]): string => {
  const given = [...options, ...(store === usualStore ? [] : ['--store', store])]
  return ['npm run sample:heartbeat', ...(given.length === 0 ? [] : ['--', ...given])].join(' ')
}

/** Resolves at Ctrl-C, at `kill`, when nobody reads any more, or when told. A second Ctrl-C waits for nothing. */
const untilTold = (): { readonly told: Promise<void>; readonly tell: () => void } => {
  let tell: () => void = () => undefined
  const told = new Promise<void>((resolve) => {
    tell = resolve
  })
  process.once('SIGINT', tell)
  process.once('SIGTERM', tell)
  process.stdout.on('error', tell)
  return { told, tell }
}

const findOrStart = async (
  node: Node,
  { store, intervalMs, missedBeats }: Pick<Heart, 'intervalMs' | 'missedBeats'> & { readonly store: string },
): Promise<StateRef> => {
  const [found] = await node.states(Heartbeat)
  if (found === undefined) {
    const name = 'Emmanuel'
    const { heartbeat, nextBeatAt } = await node.run(StartHeartbeat, { name, intervalMs, missedBeats })
    screen.born({ name, intervalMs, nextBeatAt })
    return heartbeat
  }
  screen.found(found.data)
  if (missedBeats === 'skip' && found.data.missedBeats !== 'skip')
    screen.say(
      'It makes up for missed beats, as it was told when it was started. For one that skips them:',
      `  ${again(store, '--stop')} && ${again(store, '--skip-missed')}`,
    )
  return found.ref
}

const stopHeart = async (node: Node): Promise<void> => {
  const [found] = await node.states(Heartbeat)
  if (found === undefined) {
    screen.say('There is no heart to stop.', '')
    return
  }
  const { name } = found.data
  const { beats } = await node.run(StopHeartbeat, { name })
  screen.say(`${name} has stopped, after ${beats.toLocaleString('en')} beats. Its story stays in the log.`, '')
}

const main = async (): Promise<void> => {
  const options = readOptions()
  if (options.help) {
    process.stdout.write(usage)
    return
  }
  const { store } = options
  const intervalMs = wholeNumber('interval', options.interval)
  const beatsToGo = options.beats === undefined ? Infinity : wholeNumber('beats', options.beats)
  const { told, tell } = untilTold()

  let beats = 0
  const pulse = new Pulse(screen, () => {
    beats += 1
    if (beats === beatsToGo) tell()
  })
  const node = await startNode({
    app,
    store,
    party: 'Quasimodo',
    onFailure: (error) => {
      screen.trouble(error.message)
      process.exitCode = 1
      tell()
    },
  })
  const sinceStart = node.head.revision + 1
  screen.title(store)
  if (options.stop) {
    await stopHeart(node)
    await node.stop()
    return
  }

  const heartbeat = await findOrStart(node, {
    ...{ store, intervalMs },
    missedBeats: options['skip-missed'] ? 'skip' : 'catch-up',
  })
  screen.hint('In another terminal:', [
    ['what is due next', `npx carillon agenda --store ${store}`],
    ['how the node is', `npx carillon status --store ${store}`],
    ['a death without a goodbye', `kill -9 ${process.pid}`],
  ])
  if (node.isDraining)
    screen.trouble(`The node is draining, so nothing beats until: npx carillon drain end --store ${store}`)
  node.subscribe({ from: sinceStart, types: ['FlowStarted', 'FlowEnded'], on: pulse.hear })
  await told
  const isAlive = (await node.states(Heartbeat)).length > 0
  await node.stop()

  const { transaction, index } = pulse.lastStarted ?? heartbeat
  screen.hint(
    `Stopped after ${beats.toLocaleString('en')} beats. ${isAlive ? 'The heart itself is not dead, only nobody is there to beat it.' : 'The life of the heart has ended.'}`,
    [
      [isAlive ? 'wait a while, and start it again' : 'begin another one', again(store)],
      ['why it last beat when it did', `npx carillon why ${transaction.slice(0, 12)}:${index} --store ${store}`],
      ['what is due next', `npx carillon agenda --store ${store}`],
      ...(isAlive ? [['end its life', again(store, '--stop')] as const] : []),
    ],
  )
}

try {
  await main()
} catch (error) {
  if (!(error instanceof CarillonError || error instanceof RangeError || error instanceof TypeError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
