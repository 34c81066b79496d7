/**
 * A finding as text: the rule, what the model says and what the node has, each cut to a readable length around the place
 * where they differ.
 */
import type { ModelFinding } from '../../model/index.js'

const longest = 400
/** Characters that both sides have in common and that are shown before the first difference. */
const shared = 120

const cut = (text: string, start: number): string => {
  const shown = text.slice(start, start + longest)
  return `${start > 0 ? '…' : ''}${shown}${start + longest < text.length ? '…' : ''}`
}

export const describeModelFinding = ({ what, predicted, recorded }: ModelFinding): string => {
  let same = 0
  while (same < predicted.length && predicted[same] === recorded[same]) same += 1
  const start = Math.max(0, same - shared)
  return `${what} The model: ${cut(predicted, start)} The node: ${cut(recorded, start)}`
}
