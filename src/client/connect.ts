/**
 * The way to a node in another process.
 */
import { Client } from './Client.js'
import type { ConnectOptions } from './NodeConnection.js'

/**
 * A client of the node at an address such as `https://node.example:7411`, with a token that `carillon token new` has issued.
 * Nothing is sent before the first call. An empty address means the server that a page came from.
 */
export const connect = (url: string, token?: string, options: ConnectOptions = {}): Client =>
  new Client(url, token, options)
