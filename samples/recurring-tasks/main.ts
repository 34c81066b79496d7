/**
 * The sample's command line: npm run sample:tasks -- --help. Without arguments it shows a day in seconds. `run` keeps a
 * node running and shows what happens; the verbs ask that node, or open the store themselves where none runs.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { userInfo } from 'node:os'
import { Command, CommanderError } from 'commander'
import { CarillonError, startNode, type Node } from 'carillon'
import { openControlSocket, readLocalToken, serveHttp, type VerbAnswer } from 'carillon/http'
import { recurringTasks } from './app.js'
import { askSocket } from './askSocket.js'
import { showDay } from './day.js'
import { endpoints } from './endpoints.js'
import { defaultSettings, problemWith, type Settings } from './model/Settings.js'
import { inWords } from './model/TaskEvent.js'
import { instantOf } from './model/timeSlots.js'
import { tasksPanel } from './panel.js'
import { readEvents } from './readEvents.js'
import { TaskRegistry } from './TaskRegistry.js'
import { tasksVerbs } from './verbs.js'

const program = new Command('tasks').description('Tasks triggered by time slots, on a ledger').exitOverride()
program.option('--store <folder>', 'where the ledger is kept', '.recurring-tasks')
program.option('--slot <seconds>', 'length of a slot, for a store that is new', String(defaultSettings.slotSeconds))
const given = () => program.opts<{ readonly store: string; readonly slot: string }>()

/** Short slots are swept more often, and take what can be run in them. */
const settingsFor = (slot: string): Settings => {
  const slotSeconds = /^\d{1,6}$/.test(slot) ? Number(slot) : 0
  const sweepSeconds = Math.min(defaultSettings.sweepSeconds, Math.max(1, Math.floor(slotSeconds / 5)))
  const horizonSeconds = slotSeconds * Math.max(1, Math.floor(defaultSettings.horizonSeconds / (slotSeconds || 1)))
  const weightPerSlot = Math.min(defaultSettings.weightPerSlot, Math.floor(slotSeconds / sweepSeconds) * 40_000)
  const lead: Settings['lead'] = slotSeconds < defaultSettings.slotSeconds ? 'next-slot' : 'interval'
  const settings = { ...defaultSettings, slotSeconds, sweepSeconds, horizonSeconds, weightPerSlot, lead }
  const problem = problemWith(settings)
  if (problem === undefined) return settings
  throw new CarillonError('usage', `--slot ${slot}: a slot has between 1 and 999999 whole seconds.`)
}

const withNode = async <A>(use: (node: Node) => Promise<A>): Promise<A> => {
  const { store, slot } = given()
  const settings = settingsFor(slot)
  const node = await startNode({ app: recurringTasks(), store, party: 'Operator' })
  try {
    await TaskRegistry.open(node, { settings })
    return await use(node)
  } finally {
    await node.stop()
  }
}

const by = `cli:${userInfo().username}`

const ask = (verb: string, words: Readonly<Record<string, string>>): Promise<VerbAnswer> => {
  const found = tasksVerbs.verbs.find(({ description }) => description.name === verb)
  if (found === undefined) throw new CarillonError('usage', `There is no verb ${verb}.`)
  const socket = join(given().store, 'control.sock')
  if (existsSync(socket)) return askSocket(socket, by, `/verbs/tasks/${verb}`, { words })
  return withNode((node) => found.perform(node, words, { by, may: () => true }))
}

for (const { name, summary, arguments: words, options } of tasksVerbs.description.verbs) {
  const command = program.command(name).description(summary)
  for (const word of words) command.argument(`<${word.name}>`, word.summary)
  for (const each of options) command.option(`--${each.name} <${each.value}>`, each.summary, each.default)
  command.action(async () => {
    const named = words.map((word, place): [string, string] => [word.name, command.args[place] ?? ''])
    const chosen = options.map(({ name: option, default: usual = '' }): [string, string] => {
      const value: unknown = command.getOptionValue(
        option.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
      )
      return [option, typeof value === 'string' ? value : usual]
    })
    const { lines } = await ask(name, Object.fromEntries([...named, ...chosen]))
    for (const line of lines) console.log(line)
  })
}

program
  .command('day', { isDefault: true })
  .description('a day in seconds, with an outage')
  .argument('[nothing]', '')
  .action(async (nothing: string | undefined) => {
    if (nothing !== undefined) throw new CarillonError('usage', `There is no verb "${nothing}". See --help.`)
    await showDay(console.log)
  })

/** Tells what the registry tells, as it happens. */
const tellEvents = (node: Node): (() => void) => {
  let revision = node.head.revision + 1
  const tell = async (): Promise<void> => {
    const from = revision
    revision = node.head.revision + 1
    if (from < revision)
      for await (const event of readEvents(node, from))
        console.log(`${instantOf(Math.floor(node.nowMs / 1_000))}  ${inWords(event)}`)
  }
  return node.subscribe({ from: 'present', on: tell }).close
}

program
  .command('run')
  .description('run tasks until interrupted, and show what happens')
  .action(() =>
    withNode(async (node) => {
      const { store } = given()
      const served = { panels: [tasksPanel], endpoints, verbs: [tasksVerbs] }
      const http = await serveHttp({ node, ...served }, { localToken: readLocalToken(store) })
      const socket = await openControlSocket(node, store, { ...served, http })
      const unfollow = tellEvents(node)
      const { settings } = await TaskRegistry.on(node).registry()
      console.log(`Slots of ${settings.slotSeconds} s. Dashboard: ${http.newLink()}`)
      console.log('In another terminal: npm run sample:tasks -- --help')
      await new Promise<void>((resolve) => {
        process.once('SIGINT', () => resolve())
        process.once('SIGTERM', () => resolve())
      })
      unfollow()
      await socket.close()
      await http.close()
    }),
  )

try {
  await program.parseAsync()
} catch (error) {
  // Commander has said itself what was wrong with the command line.
  if (!(error instanceof CommanderError)) {
    const code = error instanceof CarillonError ? `${error.code}: ` : ''
    console.error(`error: ${code}${error instanceof Error ? error.message : String(error)}`)
  }
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1
}
