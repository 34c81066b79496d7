/**
 * Opens a log by its address: the scheme says on what kind of server it is kept.
 */
import { CarillonError } from '../errors/CarillonError.js'
import type { EventLog } from '../log/EventLog.js'
import { BackOff } from '../engine/BackOff.js'
import { pause } from '../engine/pause.js'
import type { Logger } from '../engine/Logger.js'

// Loaded when they are needed: a node with an embedded log should not wait for drivers it never uses.
const openers: readonly { readonly schemes: readonly string[]; readonly open: (url: string) => Promise<EventLog> }[] = [
  {
    schemes: ['postgres', 'postgresql'],
    open: async (url) => (await import('./postgres/PostgresLog.js')).PostgresLog.open({ url }),
  },
  {
    schemes: ['esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover', 'kurrent', 'kurrent+discover'],
    open: async (url) => (await import('./eventstoredb/EventStoreDbLog.js')).EventStoreDbLog.open({ url }),
  },
]

/** Opens the log at an address such as `postgres://user@host/database?schema=carillon`. */
export const openLog = (address: string): Promise<EventLog> => {
  const scheme = /^([\w+-]+):\/\//.exec(address)?.[1]?.toLowerCase() ?? ''
  const opener = openers.find(({ schemes }) => schemes.includes(scheme))
  if (opener === undefined)
    return Promise.reject(
      new CarillonError(
        'log-address-invalid',
        `A log is named by an address that begins with ${openers.map(({ schemes }) => `${schemes[0] ?? ''}://`).join(' or ')}; this one begins with "${scheme}".`,
        { scheme },
      ),
    )
  return opener.open(address)
}

/** Does what needs the log as soon as the log can be reached; a server that is down at the start is waited for. */
export const whenReachable = async <A>(work: () => Promise<A>, logger: Logger): Promise<A> => {
  const backOff = new BackOff()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CarillonError) || error.code !== 'log-unreachable') throw error
      logger.warn(`The node waits for its log. ${error.message}`, { code: error.code })
      await pause(backOff.next())
    }
  }
}
