/**
 * The log that a command is about: the one in a store folder, or one that is kept elsewhere and named by its address.
 */
import { Option } from 'commander'
import type { EventLog } from '../log/EventLog.js'
import { openLog } from '../logs/openLog.js'
import { openStoreLog } from '../folder/readStore.js'
import type { StoreOptions } from './verb.js'

export type LogOptions = StoreOptions & { readonly log?: string }

export const logOption = (): Option =>
  new Option('--log <address>', 'the log at this address, such as postgres://host/database, and not the one of a store')

/** Whether a text is the address of a log, and not a folder. */
export const isAddress = (text: string): boolean => /^[\w+-]{2,}:\/\//.test(text)

/** Opens the log for reading. */
export const openNamedLog = ({ store, log }: LogOptions): Promise<EventLog> =>
  log === undefined ? Promise.resolve(openStoreLog(store)) : openLog(log)

/** Does something with the log, and closes it whatever happens. */
export const withNamedLog = async <A>(options: LogOptions, work: (log: EventLog) => Promise<A>): Promise<A> => {
  const log = await openNamedLog(options)
  try {
    return await work(log)
  } finally {
    await log.close()
  }
}
