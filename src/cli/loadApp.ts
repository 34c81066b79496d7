/**
 * Loads an app from a module: its export `app`, or its default export, and its `onStart` if it has one. TypeScript
 * is read with the app's own tsx, or by Node itself where it can.
 */
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { App } from '../app/App.js'
import type { Endpoint } from '../http/Endpoint.js'
import type { Panel } from '../http/Panel.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import type { VerbGroup } from '../http/AppVerb.js'
import type { Node } from '../node/Node.js'
import type { ForecastOptions } from '../testing/forecast/forecast.js'
import type { SimulationOptions } from '../testing/simulation/simulate.js'

export type LoadedApp = {
  readonly app: App
  /** Called once the node has started. */
  readonly onStart?: (node: Node) => unknown
  /** Pages of the dashboard. */
  readonly panels?: readonly Panel[]
  /** Addresses of the HTTP API. */
  readonly endpoints?: readonly Endpoint[]
  /** Verbs of the command line. */
  readonly verbs?: readonly VerbGroup[]
  /** How the app wants to be simulated, where it says so. */
  readonly simulation?: Omit<SimulationOptions, 'app'>
  /** What a forecast of the app assumes, and how it reads cash flows. */
  readonly forecasting: Pick<ForecastOptions, 'steps' | 'cashFlows'>
}

type Members = Readonly<Record<string, unknown>>

const typescript = /^\.[cm]?tsx?$/

const notLoadable = (file: string, why: string, cause?: unknown): CarillonError =>
  new CarillonError('app-not-loadable', `${file}: ${why}`, { file }, cause)

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null

const isApp = (value: unknown): value is App =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  typeof value['version'] === 'string' &&
  Array.isArray(value['states']) &&
  Array.isArray(value['flows'])

const isOnStart = (value: unknown): value is (node: Node) => unknown => typeof value === 'function'

const isCashFlows = (value: unknown): value is NonNullable<ForecastOptions['cashFlows']> => typeof value === 'function'

const isSimulation = (value: unknown): value is Omit<SimulationOptions, 'app'> =>
  isObject(value) && ['undefined', 'function'].includes(typeof value['workload'])

const isPanel = (value: unknown): value is Panel =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['read'] === 'function'

const isEndpoint = (value: unknown): value is Endpoint => isObject(value) && isObject(value['route'])

const isVerbGroup = (value: unknown): value is VerbGroup =>
  isObject(value) && isObject(value['description']) && Array.isArray(value['verbs'])

const load = (file: string): Promise<unknown> => import(pathToFileURL(file).href) as Promise<unknown>

/** Lets this process import TypeScript, as `node --import tsx` would have. */
const readTypeScript = async (file: string): Promise<void> => {
  let tsx: string
  try {
    tsx = createRequire(file).resolve('tsx')
  } catch (error) {
    if ('typescript' in process.features && process.features.typescript !== false) return
    throw notLoadable(
      file,
      'it is TypeScript, and there is no tsx to read it with. Run "npm install --save-dev tsx" in the folder of the app, or give a compiled .js file.',
      error,
    )
  }
  await load(tsx)
}

const describe = (members: Members): string => {
  const names = Object.entries(members).map(
    ([name, value]) => `${name} (${Array.isArray(value) ? 'array' : typeof value})`,
  )
  return names.length === 0 ? 'It exports nothing.' : `It exports ${names.slice(0, 20).join(', ')}.`
}

export const appFile = (module: string): string => {
  const file = resolve(module)
  if (!existsSync(file))
    throw notLoadable(
      file,
      'there is no such file. Give the path of the module that exports the app, such as src/app.ts.',
    )
  return realpathSync(file)
}

export const loadApp = async (file: string): Promise<LoadedApp> => {
  if (typescript.test(extname(file))) await readTypeScript(file)
  let members: unknown
  try {
    members = await load(file)
  } catch (error) {
    // What is wrong with a definition is said best by the definition.
    if (error instanceof CarillonError) throw error
    throw notLoadable(file, `it cannot be loaded: ${messageOf(error)}`, error)
  }
  if (!isObject(members)) throw notLoadable(file, 'it is not a module.')
  const fallback = members['default']
  // A module of the older kind has its exports inside its default export.
  const candidates = [members['app'], fallback, isObject(fallback) ? fallback['app'] : undefined]
  const app = candidates.find(isApp)
  if (app === undefined)
    throw notLoadable(
      file,
      `its export "app" is not an app. ${describe(members)} Add: export const app = defineApp({ … }).`,
    )
  const exported = (name: string): unknown => members[name] ?? (isObject(fallback) ? fallback[name] : undefined)
  const one = <A>(name: string, is: (value: unknown) => value is A, what: string): { readonly value?: A } => {
    const value = exported(name)
    if (value === undefined) return {}
    if (!is(value)) throw notLoadable(file, `its export "${name}" is not ${what}.`)
    return { value }
  }
  const list = <A>(name: string, is: (value: unknown) => value is A, maker: string): readonly A[] =>
    one(name, (value): value is readonly A[] => Array.isArray(value) && value.every(is), `a list made with ${maker}`)
      .value ?? []
  const panels = list('panels', isPanel, 'definePanel')
  const endpoints = list('endpoints', isEndpoint, 'defineEndpoint')
  const verbs = list('verbs', isVerbGroup, 'defineVerbs')
  const { value: onStart } = one('onStart', isOnStart, 'a function of the node')
  const { value: simulation } = one(
    'simulation',
    isSimulation,
    'an object of options, such as { workload, invariants }',
  )
  const { value: cashFlows } = one('cashFlows', isCashFlows, 'a function of a transaction')
  const { value: steps } = one('assumedSteps', isObject, 'an object of values by the names of steps')
  return {
    app,
    panels,
    endpoints,
    verbs,
    forecasting: { ...(cashFlows === undefined ? {} : { cashFlows }), ...(steps === undefined ? {} : { steps }) },
    ...(onStart === undefined ? {} : { onStart }),
    ...(simulation === undefined ? {} : { simulation }),
  }
}

/**
 * The command of the Carillon that the app itself imports, when that is not this one. An error must be the same
 * class to the node and to the app's flows, so the app's own copy has to run it.
 */
export const commandOfApp = (file: string): string | undefined => {
  try {
    const entry = realpathSync(createRequire(file).resolve('carillon'))
    const ours = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))))
    const theirs = dirname(entry)
    const command = join(theirs, 'cli', `main${extname(entry)}`)
    return theirs !== ours && existsSync(command) ? pathToFileURL(command).href : undefined
  } catch {
    // It is not installed there; importing the app will say so.
    return undefined
  }
}
