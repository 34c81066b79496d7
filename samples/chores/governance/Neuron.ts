/**
 * A stand-in for a governance system: neurons, whose voting power fades unless it is refreshed. A dissolved neuron
 * cannot be refreshed; refreshing one twice on the same day is the same as once.
 */
import * as t from 'io-ts'
import { defineCommand, defineFlow, defineState, InstantC, PartyC, type FlowBody } from 'carillon'

const NeuronC = t.strict({
  owner: PartyC,
  neuronId: t.string,
  isDissolved: t.boolean,
  refreshedAt: t.union([InstantC, t.null]),
})
export type NeuronData = t.TypeOf<typeof NeuronC>

export const Neuron = defineState({
  type: 'governance/Neuron',
  data: NeuronC,
  participants: ({ owner }) => [owner],
  key: ({ neuronId }) => neuronId,
})

export const NeuronCommand = defineCommand({ type: 'governance/ManageNeuron', data: t.strict({ neuronId: t.string }) })

export const CreateNeuron = defineFlow({
  name: 'governance/CreateNeuron',
  input: t.strict({ neuronId: t.string, isDissolved: t.boolean }),
  *run(io, { neuronId, isDissolved }): FlowBody<void> {
    yield* io.finalise((tx) =>
      tx
        .produce(Neuron, { owner: io.me, neuronId, isDissolved, refreshedAt: null })
        .command(NeuronCommand, [io.me], { neuronId }),
    )
  },
})

const dayOf = (at: string): string => at.slice(0, 10)

export const RefreshVotingPower = defineFlow({
  name: 'governance/RefreshVotingPower',
  input: t.strict({ neuronId: t.string }),
  *run(io, { neuronId }): FlowBody<'refreshed' | 'already'> {
    const neuron = yield* io.find(Neuron, neuronId)
    if (neuron === undefined) throw new Error(`There is no neuron ${neuronId}.`)
    if (neuron.data.isDissolved) throw new Error(`Neuron ${neuronId} is dissolved.`)
    const now = yield* io.now()
    if (neuron.data.refreshedAt !== null && dayOf(neuron.data.refreshedAt) === dayOf(now)) return 'already'
    yield* io.finalise((tx) =>
      tx
        .consume(neuron)
        .produce(Neuron, { ...neuron.data, refreshedAt: now })
        .command(NeuronCommand, [neuron.data.owner], { neuronId }),
    )
    return 'refreshed'
  },
})
