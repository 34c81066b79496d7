/**
 * The verbs of the app that runs on a store: described by its node, read here, done there. They are only asked for when
 * the first word of a command line is none of the command's own.
 */
import { Command, Option } from 'commander'
import * as t from 'io-ts'
import { CarillonError } from '../errors/CarillonError.js'
import { VerbAnswerC, VerbGroupDescriptionC, type VerbAnswer, type VerbGroupDescription } from '../http/AppVerb.js'
import { NodeApi, type NodePlace } from './NodeApi.js'
import { jsonText } from './print.js'
import { printable, type Terminal } from './Terminal.js'
import { defaultStore, jsonOption, storeHint, withPlace } from './verb.js'
import { watching, watchOption } from './watching.js'

type Words = Readonly<Record<string, unknown>>
type Description = VerbGroupDescription['verbs'][number]

/** What a command line gives an option, before anything else of it is understood. */
const valueIn = (args: readonly string[], option: string): string | undefined => {
  const place = args.indexOf(option)
  return place < 0 ? args.find((arg) => arg.startsWith(`${option}=`))?.slice(option.length + 1) : args[place + 1]
}

/** The node that a command line is about. */
export const nodePlaceIn = (
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): NodePlace => {
  const [url, ca] = [valueIn(args, '--url'), valueIn(args, '--ca') ?? environment['CARILLON_CA']]
  return {
    store: valueIn(args, '--store') ?? environment['CARILLON_STORE'] ?? defaultStore,
    ...(url === undefined ? {} : { url }),
    ...(ca === undefined ? {} : { ca }),
  }
}

const show = (terminal: Terminal, { lines, data }: VerbAnswer, json: boolean): void => {
  if (!json) for (const line of lines) terminal.out(printable(line))
  else for (const document of Array.isArray(data) ? data : [data]) terminal.out(jsonText(document))
}

const wordsOf = ({ arguments: places, options }: Description, given: readonly unknown[], chosen: Words) => {
  const words: Record<string, string> = {}
  for (const [place, { name }] of places.entries()) {
    const word = given[place]
    if (typeof word === 'string') words[name] = word
  }
  for (const { name } of options) {
    const word = chosen[name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())]
    if (typeof word === 'string') words[name] = word
  }
  return words
}

const verbCommand = (terminal: Terminal, group: string, verb: Description, api: NodeApi): Command => {
  const command = new Command(verb.name)
    .summary(verb.summary)
    .description(`${verb.summary.charAt(0).toUpperCase()}${verb.summary.slice(1)}.`)
    .helpOption('-h, --help', 'show this help')
  for (const { name, summary, optional } of verb.arguments)
    command.argument(optional === true ? `[${name}]` : `<${name}>`, summary)
  for (const { name, summary, value, default: otherwise } of verb.options) {
    const option = new Option(`--${name} <${value}>`, summary)
    command.addOption(otherwise === undefined ? option : option.default(otherwise))
  }
  if (verb.live) command.addOption(watchOption())
  return withPlace(command)
    .addOption(jsonOption())
    .action(
      watching(terminal, (screen) => async () => {
        const chosen = command.opts<Words>()
        const words = wordsOf(verb, command.processedArgs, chosen)
        const answer = await api.post(`/verbs/${group}/${verb.name}`, { words }, VerbAnswerC)
        show(screen, answer, chosen['json'] === true)
      }),
    )
}

const GroupsC = t.strict({ items: t.readonlyArray(VerbGroupDescriptionC) })

/** Adds the verbs of the app whose node runs on the store; says whether one does. */
export const addAppVerbs = async (program: Command, terminal: Terminal, place: NodePlace): Promise<boolean> => {
  const api = NodeApi.at(place)
  const groups = await api.get('/verbs', {}, GroupsC).catch((error: unknown) => {
    if (error instanceof CarillonError && error.code === 'node-not-running') return undefined
    throw error
  })
  if (groups === undefined) return false
  for (const { name, summary, verbs } of groups.items) {
    const group = new Command(name)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .helpOption('-h, --help', 'show this help')
      .helpCommand(false)
    for (const verb of verbs) group.addCommand(verbCommand(terminal, name, verb, api))
    program.addCommand(group)
  }
  return true
}

/** What to say to a word that is no verb at all. */
export const unknownVerbHint = ({ store, url }: NodePlace, isListening: boolean): string =>
  isListening
    ? `The app that runs ${url === undefined ? `on ${store}` : `at ${url}`} has no such verb either. Try: carillon --help`
    : `It may be a verb of an app, but no node runs on ${store}. Run it first: carillon run <app-module>${storeHint(store)}; or name its store with --store. Other verbs are in the help. Try: carillon --help`
