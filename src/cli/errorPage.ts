/**
 * The page of an error code, which comes with the package: read from there, so it needs no network and fits the version.
 */
import { existsSync, readFileSync } from 'node:fs'
import { nearestNames } from '../app/nearestNames.js'
import { CarillonError } from '../errors/CarillonError.js'
import { catalogue, type ErrorCode } from '../errors/catalogue.js'

/** It lies two folders up, from the sources as from what is built. */
const folder = new URL('../../docs/errors/', import.meta.url)

const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(catalogue, text)

export const errorCodes: readonly ErrorCode[] = Object.keys(catalogue).filter(isErrorCode)

const mostNamed = 6

/** Codes that someone may have meant: those that are spelled alike, or else those that share a word. */
const meantBy = (text: string): readonly string[] => {
  const near = nearestNames(text, errorCodes)
  if (near.length > 0) return near.slice(0, mostNamed)
  const words = text.toLowerCase().split(/[^a-z]+/)
  const shared = (code: string): number => code.split('-').filter((word) => words.includes(word)).length
  return errorCodes
    .filter((code) => shared(code) > 0)
    .sort((one, other) => shared(other) - shared(one))
    .slice(0, mostNamed)
}

/** The code that is meant, also when it was copied with what stands around it: `error[flow-parked]:`. */
export const errorCodeNamed = (given: string): ErrorCode => {
  const text = given.trim().replace(/^error\[|\]?:?$/g, '')
  if (isErrorCode(text)) return text
  if (text.includes('/'))
    throw new CarillonError('usage', `${text} is a code of the app that threw it, and so is what it means.`)
  const meant = meantBy(text)
  const hint = meant.length === 0 ? 'All codes: carillon explain' : `Did you mean ${meant.join(' or ')}?`
  throw new CarillonError('usage', `There is no error code ${text}. ${hint}`)
}

export type ErrorPage = {
  readonly code: ErrorCode
  readonly title: string
  readonly consequence: string
  /** The page, in Markdown. */
  readonly text: string
}

export const readErrorPage = (code: ErrorCode): ErrorPage => {
  const file = new URL(`${code}.md`, folder)
  if (!existsSync(file))
    throw new CarillonError('invariant-broken', `The page of ${code} is missing here. Install Carillon again.`)
  return { code, ...catalogue[code], text: readFileSync(file, 'utf8') }
}

/** What a person is told to type to read the page of a code. */
export const explainCommand = (code: string): string => `carillon explain ${code}`
