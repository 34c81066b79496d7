/**
 * The driver for PostgreSQL, loaded when it is first used: apps with another log need not install it.
 */
import { createRequire } from 'node:module'
import type pg from 'pg'
import { CarillonError, messageOf } from '../../errors/CarillonError.js'

const load = createRequire(import.meta.url)

/** The driver, or an error that says how to install it. */
export const postgresDriver = (from: (name: string) => unknown = load): typeof pg => {
  try {
    return from('pg') as typeof pg
  } catch (error) {
    throw new CarillonError(
      'postgres-missing',
      `The driver for PostgreSQL could not be loaded. Run "npm install pg" in the folder of the app. (${messageOf(error).split('\n')[0] ?? ''})`,
      { driver: 'pg' },
      error,
    )
  }
}
