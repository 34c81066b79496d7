/**
 * Ends a flow and starts another in its place, with a record of its own: whoever waits for the first gets the result of the
 * last. The client id, the signals that were not taken and the children go over to it.
 */
import { utf8Length, type Json } from '../../encoding/canonical.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { assertFits, encodeEvent } from '../../log/encodeEvent.js'
import { flowIdOfContinuation } from '../../log/FlowId.js'
import { cancelOf } from '../cancelFlow.js'
import { decodedInput } from '../decodedInput.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'

export type ContinueAs = {
  readonly kind: 'continueAs'
  readonly flow: string
  /** In encoded form. */
  readonly input: Json
}

export const continueAs = defineOperation<ContinueAs, FlowReads>({
  kind: 'continueAs',
  statesFacts: true,
  identity: ({ flow, input }) => ({ flow, input }),
  label: ({ flow }) => `continue as ${flow}`,
  decide: (reads, { flow: name, input }, flow) => {
    const { version } = decodedInput(reads, name, input)
    const row = reads.views.flows.find(flow)
    if (row?.stateSeq !== null || row.session !== null)
      throw new CarillonError(
        'flow-not-continuable',
        `Flow ${flow} was started by ${row?.session === null ? "a state's activity, which waits for its end" : 'a session, which ends with it'}, so it cannot continue as another. Let it start a child instead.`,
        { flow },
      )
    if (cancelOf(row) !== undefined)
      throw new CarillonError(
        'flow-not-continuable',
        `Flow ${flow} is being cancelled, so it cannot continue as another. Undo what is to be undone, and let it end.`,
        { flow },
      )
    const origin = { kind: 'continued', from: flow } as const
    const started = { type: 'FlowStarted', flow: flowIdOfContinuation(flow), name, version, input, origin } as const
    // The end of this flow is recorded first, and what ended cannot be told any more that its successor does not fit.
    assertFits(started.type, utf8Length(encodeEvent(started)))
    return { kind: 'continuation', started }
  },
})
