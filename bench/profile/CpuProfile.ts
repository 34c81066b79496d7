/**
 * A CPU profile as the inspector writes it, and the tree of time it stands for.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'

const CallFrameC = t.type({ functionName: t.string, url: t.string, lineNumber: t.number })
const NodeC = t.intersection([
  t.type({ id: t.number, callFrame: CallFrameC }),
  t.partial({ children: t.array(t.number) }),
])
export const CpuProfileC = t.type({
  nodes: t.array(NodeC),
  samples: t.array(t.number),
  timeDeltas: t.array(t.number),
})
export type CpuProfile = t.TypeOf<typeof CpuProfileC>

/** A function as it was called from the ones above it: the time in itself, and with all it called, in microseconds. */
export type Call = {
  readonly name: string
  readonly place: string
  readonly selfUs: number
  readonly totalUs: number
  readonly calls: readonly Call[]
}

export const readProfile = (text: string): CpuProfile => {
  const profile = CpuProfileC.decode(JSON.parse(text))
  if (isLeft(profile)) throw new Error('This is no CPU profile as Node writes it.')
  return profile.right
}

/** Where a function stands, as far as a reader of the repository can use it. */
const placeOf = ({ url, lineNumber }: t.TypeOf<typeof CallFrameC>): string => {
  const path = url.replace(/^file:\/\//, '').replace(/^.*?\/(?=(?:node_modules|dist|src|bench)\/)/, '')
  return path === '' ? '' : `${path}:${lineNumber + 1}`
}

/** Whoever waits is not at work. */
const isIdle = (name: string): boolean => name === '(idle)'

const merge = (calls: readonly Call[]): readonly Call[] => {
  const byName = new Map<string, Call>()
  for (const call of calls) {
    const key = `${call.name} ${call.place}`
    const other = byName.get(key)
    byName.set(
      key,
      other === undefined
        ? call
        : {
            ...call,
            selfUs: call.selfUs + other.selfUs,
            totalUs: call.totalUs + other.totalUs,
            calls: [...call.calls, ...other.calls],
          },
    )
  }
  return [...byName.values()]
    .map((call) => ({ ...call, calls: merge(call.calls) }))
    .sort((a, b) => b.totalUs - a.totalUs)
}

const longestName = 60

/** An expression is named by all of its source, which may be that of a whole event. */
const nameOf = ({ functionName }: t.TypeOf<typeof CallFrameC>): string => {
  if (functionName === '') return '(anonymous)'
  return functionName.length > longestName ? `${functionName.slice(0, longestName)}…` : functionName
}

/** The tree of all time at work, the same function under the same callers once. */
export const callTree = ({ nodes, samples, timeDeltas }: CpuProfile): Call => {
  const selfUs = new Map<number, number>()
  samples.forEach((id, index) => selfUs.set(id, (selfUs.get(id) ?? 0) + (timeDeltas[index] ?? 0)))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callOf = (id: number): Call => {
    const node = byId.get(id)
    if (node === undefined) throw new Error(`The profile names a node ${id} that it does not have.`)
    const calls = (node.children ?? []).map(callOf).filter(({ name, totalUs }) => !isIdle(name) && totalUs > 0)
    const self = selfUs.get(id) ?? 0
    return {
      name: nameOf(node.callFrame),
      place: placeOf(node.callFrame),
      selfUs: self,
      totalUs: self + calls.reduce((sum, { totalUs }) => sum + totalUs, 0),
      calls,
    }
  }
  const [root] = nodes
  if (root === undefined) throw new Error('The profile is empty.')
  const whole = callOf(root.id)
  return { ...whole, name: 'all', calls: merge(whole.calls) }
}
