/**
 * What passes between a node and the thread that answers questions about it. All of it is plain data.
 */
import type { RecordedError } from '../errors/CarillonError.js'
import type { NetworkId } from '../identity/NetworkId.js'
import type { Member } from '../identity/NetworkMap.js'
import { readViewMeasures } from '../telemetry/readMeasures.js'
import { readViewStatus } from './questions/readStatus.js'
import type { GivenQuestion } from './Route.js'

/** What is read off the views for a screen or a page of metrics, by name. */
export const threadReads = { measures: readViewMeasures, status: readViewStatus } as const
export type ThreadReads = typeof threadReads
export type ThreadRead = keyof ThreadReads

/** A question of the API, by the path of its route, or one of those above. */
export type Asked = ({ readonly path: string } & GivenQuestion) | { readonly views: ThreadRead }

/** What the thread is started with. */
export type ThreadData = { readonly file: string }

/** What the thread is told: a map of the network before the first question that goes by it, and the questions. */
export type ToThread =
  | { readonly network: { readonly members: readonly Member[]; readonly id: NetworkId } }
  | { readonly asked: Asked; readonly nowMs: number }
  | 'stop'

/** `json` is the answer as it is sent; `usedMs` is how long the thread took. */
export type FromThread =
  | 'ready'
  | { readonly json: string; readonly usedMs: number }
  | { readonly refused: RecordedError; readonly isFault: boolean; readonly usedMs: number }
