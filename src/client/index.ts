/**
 * `carillon/client`: a node in another process, from Node.js or from a browser. It imports nothing of Node.js.
 */
export { connect } from './connect.js'
export type { CallOptions, Client, ClientFlow, ClientStartOptions } from './Client.js'
export type { Fetch, FetchAnswer, FetchBody, FetchRequest } from './Fetch.js'
export type { ApiRequest, ConnectOptions, RequestQuery, StreamRequest } from './NodeConnection.js'
export type { ServerSentEvent } from './serverSentEvents.js'
export { CarillonError } from '../errors/CarillonError.js'
export type { AppErrorCode, ErrorDetails } from '../errors/CarillonError.js'
export type { Json } from '../encoding/canonical.js'
export type { OperatorRequest, VaultEntry, Why } from '../http/answers.js'
export type { StateAndRef } from '../ledger/StateAndRef.js'
export type { StateRef } from '../ledger/StateRef.js'
export type { PublicEvent, PublicEventType } from '../log/PublicEvent.js'
export type { Subscription } from '../subscription/callBack.js'
export type { PublicEventOf, SubscribeFrom, SubscribeOptions } from '../subscription/subscribe.js'
export type { Page, VaultQuery } from '../vault/query/VaultQuery.js'
