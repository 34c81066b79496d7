/**
 * Acts on all flows that match a query, one after the other, as an operator would: each is a request of its own, and one that
 * is refused stops no other.
 */
import { CarillonError, type RecordedError } from '../errors/CarillonError.js'
import type { FlowQuery, FlowSummary } from '../flow/FlowSummary.js'
import type { FlowId } from '../log/FlowId.js'
import type { FlowAction, OperatorRequest } from '../operator/OperatorRequest.js'
import type { Page } from '../vault/query/VaultQuery.js'

/** Which flows are acted on. Flows that start meanwhile are not. */
export type FlowsMatching = Omit<FlowQuery, 'limit' | 'after'>

/** What became of an action on many flows. */
export type OperatedFlows = {
  /** How many it was done to. */
  readonly done: number
  /** How many refused it, because they had ended meanwhile or are not in a condition for it. */
  readonly refused: number
  /** The first of those, and why; at most 100. */
  readonly refusals: readonly { readonly flow: FlowId; readonly error: Pick<RecordedError, 'code' | 'message'> }[]
}

/** The flows that an action is for, unless the query says otherwise. */
const statusFor: Readonly<Record<FlowAction, NonNullable<FlowQuery['status']>>> = {
  retry: 'parked',
  cancel: 'open',
  kill: 'open',
  pause: 'running',
  resume: 'paused',
  dismiss: 'attention',
}

const flowsPerPage = 200
const refusalsTold = 100

/** Cancelled again, a flow would be killed; what is asked of many at once may well be asked again. */
const isToBe = (action: FlowAction, { waiting }: FlowSummary): boolean =>
  action !== 'cancel' || waiting?.some((wait) => wait.for === 'cancel') !== true

export const operateFlows = async (
  action: FlowAction,
  matching: FlowsMatching,
  list: (query: FlowQuery) => Promise<Page<FlowSummary>>,
  operate: (request: OperatorRequest) => Promise<unknown>,
  withinMs?: number,
): Promise<OperatedFlows> => {
  const refusals: OperatedFlows['refusals'][number][] = []
  let done = 0
  let refused = 0
  const act = async (flow: FlowId): Promise<void> => {
    try {
      await operate({ on: 'flow', action, flow, ...(withinMs === undefined ? {} : { withinMs }) })
      done += 1
    } catch (error) {
      // What concerns the node concerns all of them.
      if (!(error instanceof CarillonError) || error.consequence !== 'refuse') throw error
      refused += 1
      if (refusals.length < refusalsTold) refusals.push({ flow, error: { code: error.code, message: error.message } })
    }
  }
  let after: number | undefined
  do {
    const query = { status: statusFor[action], ...matching, limit: flowsPerPage }
    const page: Page<FlowSummary> = await list(after === undefined ? query : { ...query, after })
    await Promise.all(page.items.filter((flow) => isToBe(action, flow)).map(({ id }) => act(id)))
    after = page.next
  } while (after !== undefined)
  return { done, refused, refusals }
}
