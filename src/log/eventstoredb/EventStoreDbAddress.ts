/**
 * Where an EventStoreDB log is: a connection string as the client knows it, and the stream that holds the log. It can be
 * shown without its password.
 */
import { CarillonError } from '../../errors/CarillonError.js'

export type EventStoreDbAddress = {
  /** What the client is given. */
  readonly connectionString: string
  readonly stream: string
  /** For messages: without password. */
  readonly shown: string
}

export const defaultStream = 'carillon'

export const addressInvalid = (why: string): CarillonError =>
  new CarillonError(
    'log-address-invalid',
    `The address of the EventStoreDB log cannot be used: ${why}. Write it as esdb://user:password@host:2113?tls=true&stream=carillon-Alice.`,
  )

// KurrentDB is the newer name of the server; the client knows the older one.
const pattern = /^(?:esdb|kurrentdb|kurrent)(\+discover)?:\/\/(?:([^@/?]*)@)?([^/?@]+)\/?(\?.*)?$/

const assertStream = (stream: string): string => {
  // Names with a dollar belong to the server itself.
  if (!/^[\w.:-]{1,200}$/.test(stream)) throw addressInvalid(`"${stream}" is no name for a stream`)
  return stream
}

export const parseEventStoreDbAddress = (url: string, stream?: string): EventStoreDbAddress => {
  const parts = pattern.exec(url.trim())
  if (parts === null) throw addressInvalid('it is not an EventStoreDB connection string')
  const [, discover = '', credentials, hosts = '', query = ''] = parts
  const options = query === '' ? [] : query.slice(1).split('&')
  const kept = options.filter((option) => !/^(stream|throwOnAppendFailure)=/i.test(option))
  const given = options.find((option) => option.startsWith('stream='))?.slice('stream='.length)
  const named = assertStream(stream ?? (given === undefined ? defaultStream : decodeURIComponent(given)))
  const scheme = `esdb${discover}://`
  const user = credentials === undefined ? '' : `${credentials.split(':')[0] ?? ''}@`
  return {
    connectionString: `${scheme}${credentials === undefined ? '' : `${credentials}@`}${hosts}${kept.length === 0 ? '' : `?${kept.join('&')}`}`,
    stream: named,
    shown: `${scheme}${user}${hosts}?stream=${named}`,
  }
}
