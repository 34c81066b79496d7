/**
 * Where an EventStoreDB log is: a connection string as the client knows it, and the stream that holds the log. It can be
 * shown without its password.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import { plaintextOption } from '../remote/assertEncrypted.js'

export type EventStoreDbAddress = {
  /** What the client is given. */
  readonly connectionString: string
  readonly stream: string
  /** For messages: without password. */
  readonly shown: string
  /** The servers that are named, as host and port. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  /** Whether the servers are asked which of them leads. */
  readonly isCluster: boolean
  readonly usesTls: boolean
  /** Whether it says that plain text is meant. */
  readonly allowsPlaintext?: true
  /** The file with the authority that vouches for the servers, when it is not one of the system's. */
  readonly caFile?: string
}

export const defaultStream = 'carillon'

export const addressInvalid = (why: string): CarillonError =>
  new CarillonError(
    'log-address-invalid',
    `The address of the EventStoreDB log cannot be used: ${why}. Write it as esdb://user:password@host:2113?tls=true&stream=carillon-Alice.`,
  )

// KurrentDB is the newer name of the server; the client knows the older one.
const pattern = /^(?:esdb|kurrentdb|kurrent)(\+discover)?:\/\/(?:([^@/?]*)@)?([^/?@]+)\/?(\?.*)?$/

/**
 * How the client asks a cluster for its leader, unless the address says otherwise. A frozen server does not answer, and
 * must not be waited for long; Carillon itself asks again.
 */
const discovery = ['gossipTimeout=1', 'maxDiscoverAttempts=3']

const defaultPort = 2113

const hostOf = (text: string): EventStoreDbAddress['hosts'][number] => {
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(text) ?? []
  return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? defaultPort : Number(port) }
}

const assertStream = (stream: string): string => {
  // Names with a dollar belong to the server itself.
  if (!/^[\w.:-]{1,200}$/.test(stream)) throw addressInvalid(`"${stream}" is no name for a stream`)
  return stream
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw addressInvalid(`${text} cannot be decoded; write a percent sign as %25`)
  }
}

export const parseEventStoreDbAddress = (url: string, stream?: string): EventStoreDbAddress => {
  const parts = pattern.exec(url.trim())
  if (parts === null) throw addressInvalid('it is not an EventStoreDB connection string')
  const [, discover = '', credentials, hosts = '', query = ''] = parts
  const options = query === '' ? [] : query.slice(1).split('&')
  const valueOf = (name: string): string | undefined => {
    const found = options.find((option) => option.toLowerCase().startsWith(`${name.toLowerCase()}=`))
    return found === undefined ? undefined : decoded(found.slice(name.length + 1))
  }
  const isCluster = discover !== '' || hosts.includes(',')
  const kept = [
    ...options.filter((option) => !/^(stream|throwOnAppendFailure|plaintext)=/i.test(option)),
    ...(isCluster ? discovery.filter((option) => valueOf(option.split('=')[0] ?? '') === undefined) : []),
  ]
  const named = assertStream(stream ?? valueOf('stream') ?? defaultStream)
  const scheme = `esdb${discover}://`
  const user = credentials === undefined ? '' : `${credentials.split(':')[0] ?? ''}@`
  const caFile = valueOf('tlsCAFile')
  return {
    connectionString: `${scheme}${credentials === undefined ? '' : `${credentials}@`}${hosts}${kept.length === 0 ? '' : `?${kept.join('&')}`}`,
    stream: named,
    shown: `${scheme}${user}${hosts}?stream=${named}`,
    hosts: hosts.split(',').map(hostOf),
    isCluster,
    usesTls: valueOf('tls')?.toLowerCase() !== 'false',
    ...(valueOf(plaintextOption)?.toLowerCase() === 'true' ? { allowsPlaintext: true } : {}),
    ...(caFile === undefined ? {} : { caFile }),
  }
}
