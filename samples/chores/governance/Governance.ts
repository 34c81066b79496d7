/**
 * Governance as chores see it: a remote system that is asked and answers. Here it happens to live on the same node.
 */
import type { Node } from 'carillon'
import { Archive, ArchivePortion, ArchiveProgress, SettleProposals } from './Archive.js'
import { CreateNeuron, Neuron, RefreshVotingPower } from './Neuron.js'

export const governanceStates = [Neuron, Archive]
export const governanceFlows = [CreateNeuron, RefreshVotingPower, SettleProposals, ArchiveProgress, ArchivePortion]

export class Governance {
  #node: Node | undefined

  connect(node: Node): void {
    this.#node = node
  }

  get #connected(): Node {
    if (this.#node === undefined) throw new Error('Governance cannot be reached.')
    return this.#node
  }

  /** The ids of all neurons, in order. */
  async listNeurons(): Promise<readonly string[]> {
    const neurons = await this.#connected.states(Neuron, { limit: 1_000 })
    return neurons.map(({ data }) => data.neuronId).sort((a, b) => a.localeCompare(b))
  }

  async refreshVotingPower(neuronId: string): Promise<void> {
    await this.#connected.run(RefreshVotingPower, { neuronId }, { by: 'chores' })
  }

  progress(): Promise<{ readonly archived: number; readonly settled: number }> {
    return this.#connected.run(ArchiveProgress, {}, { by: 'chores' })
  }

  archiveFrom(from: number): Promise<{ readonly archived: number; readonly settled: number }> {
    return this.#connected.run(ArchivePortion, { from }, { by: 'chores' })
  }
}
