/**
 * Places in the code of an app, read from the stacks of errors. A stack is text that the engine or anybody else wrote, so
 * every function here gives undefined where it finds nothing, and none of them throws.
 */

/** A place in the code of an app. */
export type CodePlace = { readonly file: string; readonly line: number; readonly column: number }

/** A line of a stack: `at name (file:line:column)` or `at file:line:column`. */
const frame = /^\s*at .*?\(?((?:file:\/\/)?\/[^()]*|[A-Za-z]:[\\/][^()]*):(\d+):(\d+)\)?$/

/** How much of a stack is looked at: app code can give an error any text for a stack. */
const longestStack = 100_000
const longestFile = 300
const longestLine = 1_000

const pathOf = (file: string): string => {
  const path = file.replace(/^file:\/\//, '')
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Where this package lies; its own code is in `src` or `dist`. Code that was bundled for a browser may lie nowhere. */
const packagePath = URL.canParse('../..', import.meta.url) ? pathOf(new URL('../..', import.meta.url).href) : '/'

const isOfCarillon = (file: string): boolean =>
  (file.startsWith(`${packagePath}src/`) || file.startsWith(`${packagePath}dist/`)) && !/\.spec\.[jt]s$/.test(file)

const placeOf = (line: string): CodePlace | undefined => {
  const [, file, row, column] = line.length > longestLine ? [] : (frame.exec(line) ?? [])
  if (file === undefined || file.length > longestFile) return undefined
  return { file: pathOf(file), line: Number(row), column: Number(column) }
}

/** The stack of an error as text; undefined when it has none. Reading it may run code of the app. */
export const stackOf = (thrown: unknown): string | undefined => {
  try {
    const stack: unknown = thrown instanceof Error ? thrown.stack : undefined
    return typeof stack === 'string' && stack !== '' ? stack : undefined
  } catch {
    return undefined
  }
}

/** The places in a stack that are not in Carillon and not in Node, innermost first. */
export const appPlacesIn = (stack: string): readonly CodePlace[] =>
  stack
    .slice(0, longestStack)
    .split('\n')
    .flatMap((line) => placeOf(line) ?? [])
    .filter(({ file }) => !isOfCarillon(file))

/** The first place in a stack that is code of the app; of a package it uses, where there is no other. */
export const appPlaceIn = (stack: string | undefined): CodePlace | undefined => {
  if (stack === undefined) return undefined
  const places = appPlacesIn(stack)
  return places.find(({ file }) => !/[\\/]node_modules[\\/](?!carillon-)/.test(file)) ?? places[0]
}

/** Where in the app an error was made. */
export const codePlaceIn = (thrown: unknown): CodePlace | undefined => appPlaceIn(stackOf(thrown))

/** A place as people and editors write it. */
export const showPlace = ({ file, line, column }: CodePlace): string => `${file}:${line}:${column}`

/** A place at the end of a message; nothing where there is none. */
export const atPlace = (place: CodePlace | undefined): string =>
  place === undefined ? '' : ` (at ${showPlace(place)})`

/** A message without the places that {@link atPlace} wrote: where the code lies is nobody's business outside. */
export const withoutPlaces = (message: string): string => message.replace(/ \(at [^()]{1,320}:\d+:\d+\)/g, '')

const places = new WeakMap<object, Error>()

/** Remembers that a definition is made where `made` was called. The place is worked out only when it is asked for. */
export const rememberPlace = <D extends object>(definition: D, made: (...values: never[]) => unknown): D => {
  const here = new Error('defined here')
  Error.captureStackTrace(here, made)
  places.set(definition, here)
  return definition
}

/** Where a definition was made, if that is known. */
export const definedAt = (definition: object): CodePlace | undefined => codePlaceIn(places.get(definition))
