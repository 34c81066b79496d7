/**
 * Starts another flow of this node and goes on at once. The child's id follows from its parent's and from the name that the
 * parent gives it, so the same start never makes two flows.
 */
import { canonicalText, type Json } from '../../encoding/canonical.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { FlowId } from '../../log/FlowId.js'
import { factsAnswer, valueAnswer } from '../Answer.js'
import type { WhenParentEnds } from '../ChildRow.js'
import { decodedInput } from '../decodedInput.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'
import { flowLimits } from '../limits.js'

export type StartChild = {
  readonly kind: 'start'
  readonly child: FlowId
  readonly flow: string
  /** In encoded form. */
  readonly input: Json
  readonly whenParentEnds: WhenParentEnds
}

export const start = defineOperation<StartChild, FlowReads>({
  kind: 'start',
  statesFacts: true,
  identity: ({ child, flow, input, whenParentEnds }) => ({ child, flow, input, whenParentEnds }),
  label: ({ flow, child }) => `start flow ${flow} as ${child}`,
  decide: (reads, { child, flow: name, input, whenParentEnds }, parent) => {
    const { version } = decodedInput(reads, name, input)
    const { flows, children } = reads.views
    const known = flows.find(child)
    if (known !== undefined) {
      if (known.name === name && known.input === canonicalText(input)) return valueAnswer(undefined)
      throw new CarillonError(
        'client-id-conflict',
        `Flow ${parent} has started a child of this id before: ${known.name}${known.name === name ? ' with another input' : ''}. Give the new child an id of its own.`,
        { flow: child },
      )
    }
    const depth = children.depthOf(flows.locate(parent) ?? 0) + 1
    if (depth > flowLimits.childDepth)
      throw new CarillonError(
        'flow-too-deep',
        `Flow ${name} would be a child ${depth} deep; at most ${flowLimits.childDepth} are allowed. Flows that start each other in a circle never end.`,
        { flow: name },
      )
    const origin = { kind: 'flow', flow: parent, whenParentEnds } as const
    return factsAnswer([{ type: 'FlowStarted', flow: child, name, version, input, origin }])
  },
})
