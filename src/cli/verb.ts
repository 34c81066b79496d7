/**
 * What all verbs have in common: a summary, examples under their help, the store they work on, and `--json`.
 */
import { Command, InvalidArgumentError, Option } from 'commander'

export type JsonOptions = { readonly json?: boolean }
export type StoreOptions = JsonOptions & { readonly store: string }

export const defaultStore = './data'

/** A verb without a store. */
export const bareVerb = (name: string, summary: string, examples: readonly string[]): Command =>
  new Command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .helpOption('-h, --help', 'show this help')
    .addHelpText(
      'after',
      `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${examples.map((example) => `  $ carillon ${example}`).join('\n')}\n`,
    )

export const jsonOption = (what = 'print JSON instead of text'): Option => new Option('--json', what)

export const storeOption = (): Option =>
  new Option('--store <folder>', 'the folder of the store').env('CARILLON_STORE').default(defaultStore)

export const verb = (name: string, summary: string, examples: readonly string[], json?: string): Command =>
  bareVerb(name, summary, examples).addOption(storeOption()).addOption(jsonOption(json))

export type ApiOptions = StoreOptions & { readonly url?: string; readonly ca?: string }

const caOption = (): Option =>
  new Option('--ca <file>', 'with --url: whom to trust, as PEM, when the node has a certificate of its own').env(
    'CARILLON_CA',
  )

const urlOption = (): Option =>
  new Option(
    '--url <address>',
    'a node elsewhere, over HTTP, with the token in CARILLON_TOKEN (default: that of the store)',
  )

/** With what names a node: its store, or its address. */
export const withPlace = (command: Command): Command =>
  command.addOption(storeOption()).addOption(urlOption()).addOption(caOption())

/** A verb that asks the API of a node; what only reads is answered by its store where no node runs. */
export const apiVerb = (name: string, summary: string, examples: readonly string[], json?: string): Command =>
  withPlace(bareVerb(name, summary, examples)).addOption(jsonOption(json))

/** The folder of a party in its network, for whatever needs to know it. */
export const networkOption = (what = "the party's folder in its network (default: that of the store)"): Option =>
  new Option('--network <folder>', what).env('CARILLON_NETWORK')

export const devOption = (): Option => new Option('--dev', 'extra checks that find mistakes early and cost time')

/** A verb that only gathers others. */
export const verbGroup = (name: string, summary: string, verbs: readonly Command[]): Command => {
  const group = new Command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .addHelpText('after', `\nExample:\n  $ carillon ${name} ${verbs[0]?.name() ?? ''} --help\n`)
  for (const each of verbs) group.addCommand(each)
  return group
}

/** Parses an option's value as a whole number from `least` on. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < least)
      throw new InvalidArgumentError(`It must be a whole number from ${least} on.`)
    return number
  }

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Parses an option's value as a span of time in milliseconds: a number and one of the units, as in `30d`. */
export const spanIn =
  (units: string, examples: string) =>
  (text: string): number => {
    const [, count, unit = ''] = /^(\d{1,6})([a-z])$/.exec(text) ?? []
    const ms = Number(count) * (units.includes(unit) ? (unitMs[unit] ?? Number.NaN) : Number.NaN)
    if (ms > 0) return ms
    const named = `${units.slice(0, -1).split('').join(', ')} or ${units.slice(-1)}`
    throw new InvalidArgumentError(`Give a number and ${named}, such as ${examples}.`)
  }

/** Parses an option's value as names, separated by commas. */
export const namesIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** How a hint names the node or the store that a command was about. */
export const placeHint = ({ store, url }: { readonly store: string; readonly url?: string }): string =>
  url === undefined ? storeHint(store) : ` --url ${url}`

/** ` --store <folder>` where hints need it: when the store is not the one a bare command would take. */
export const storeHint = (store: string): string => {
  if (store === (process.env['CARILLON_STORE'] ?? defaultStore)) return ''
  return ` --store ${/^[\w./~-]+$/.test(store) ? store : `'${store.replaceAll("'", String.raw`'\''`)}'`}`
}
