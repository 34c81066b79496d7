/**
 * What a flow's `run` gave, which must be a generator. TypeScript sees to that; JavaScript does not.
 */
import { CarillonError } from '../errors/CarillonError.js'
import { atPlace, definedAt } from '../errors/codePlace.js'
import type { FlowBody } from './FlowDefinition.js'

const howToWrite = 'Write *run(io, input) { … }, with the star, and yield* before every operation'

const isPromise = (value: unknown): boolean => typeof value === 'object' && value !== null && 'then' in value

/** What is wrong with what `run` gave; undefined when it is a generator. */
const faultOf = (body: unknown): string | undefined => {
  if (typeof body === 'object' && body !== null) {
    if (Symbol.asyncIterator in body)
      return `run is an async generator. ${howToWrite}; what has to be awaited belongs into a step`
    if ('next' in body && Symbol.iterator in body) return undefined
  }
  return isPromise(body)
    ? `run gave a promise, as an async function does. ${howToWrite}; what has to be awaited belongs into a step`
    : `run is not a generator, it gave ${body === null ? 'null' : typeof body}. ${howToWrite}`
}

/** Why a function cannot be the `run` of a flow, as far as it can be told without calling it. */
const faultOfRun = (run: unknown): string | undefined => {
  if (typeof run !== 'function') return `run is missing. ${howToWrite}`
  const kind = Object.prototype.toString.call(run)
  return kind === '[object AsyncFunction]' || kind === '[object AsyncGeneratorFunction]'
    ? `run is async. A flow cannot await, since it is run again from its record: ${howToWrite}; what has to be awaited belongs into a step`
    : undefined
}

const notAFlow = (definition: { readonly name: string }, fault: string): CarillonError =>
  new CarillonError(
    'definition-invalid',
    `Flow ${definition.name} cannot run${atPlace(definedAt(definition))}: ${fault}.`,
    { flow: definition.name },
  )

/** Refuses a `run` that cannot be that of a flow. */
export const assertRun = (definition: { readonly name: string; readonly run: unknown }): void => {
  const fault = faultOfRun(definition.run)
  if (fault !== undefined) throw notAFlow(definition, fault)
}

/** The body of a flow, once it is seen to be one. */
export const assertBody = <R>(definition: { readonly name: string }, body: FlowBody<R>): FlowBody<R> => {
  const fault = faultOf(body)
  if (fault === undefined) return body
  // Nobody will look at what the promise brings; an unhandled rejection would end the process.
  if (isPromise(body)) void Promise.resolve(body).catch(() => undefined)
  throw notAFlow(definition, fault)
}
