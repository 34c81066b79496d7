/**
 * Governance as chores see it: a remote system that is asked and answers. Here it happens to live on the same node.
 */
import { instantFromMillis, type Node, type Page, type StateAndRef, type StateDefinition } from 'carillon'
import { Archive, ArchivePortion, ArchiveProgress, SettleProposals } from './Archive.js'
import { AnswerFollower, AskFollowee, Follow, Following } from './Following.js'
import { CreateNeuron, Neuron, RefreshVotingPower } from './Neuron.js'

export const governanceStates = [Neuron, Archive, Following]
export const governanceFlows = [
  ...[CreateNeuron, RefreshVotingPower, SettleProposals, ArchiveProgress, ArchivePortion],
  ...[Follow, AskFollowee, AnswerFollower],
]

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
    const neurons = await this.#all(Neuron)
    return neurons.map(({ neuronId }) => neuronId).sort((a, b) => a.localeCompare(b))
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

  /** The day it is, in UTC. */
  today(): string {
    return instantFromMillis(this.#connected.nowMs).slice(0, 10)
  }

  /** The names of all parties that are followed, in order. */
  async listFollowees(): Promise<readonly string[]> {
    const followings = await this.#all(Following)
    return followings.map(({ followee }) => followee.name).sort((a, b) => a.localeCompare(b))
  }

  /** Has a party asked, once a day, and does not wait for its answer. */
  async askFollowee(name: string, day: string): Promise<void> {
    const node = this.#connected
    const following = await node.find(Following, name)
    if (following === undefined) throw new Error(`${name} is not followed any more.`)
    await node.start(AskFollowee, { followee: following.data.followee }, { clientId: `ask ${name} ${day}` })
  }

  /** With how many neurons each party votes that has answered on a day or later. */
  async answersSince(day: string): Promise<ReadonlyMap<string, number>> {
    const followings = await this.#all(Following)
    return new Map(
      followings.flatMap(({ followee, answeredAt, votingNeurons }) =>
        answeredAt !== null && answeredAt.slice(0, 10) >= day ? [[followee.name, votingNeurons] as const] : [],
      ),
    )
  }

  /** However many there are: the vault answers in pages. */
  async #all<A>(definition: StateDefinition<A>): Promise<readonly A[]> {
    const all: A[] = []
    for (let after: string | undefined = '0'; after !== undefined;) {
      const page: Page<StateAndRef<A>, string> = await this.#connected.query(definition, { after, limit: 1_000 })
      for (const { data } of page.items) all.push(data)
      after = page.next
    }
    return all
  }
}
