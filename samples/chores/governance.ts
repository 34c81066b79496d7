/**
 * The outside world that the chores work on: a stand-in for a governance system, which happens to live on the same
 * node. Neurons have voting power that fades unless it is refreshed, settled proposals go into an archive, and
 * other parties are followed. Whatever chores ask of it is the same done twice as once.
 */
import * as t from 'io-ts'
import {
  defineCommand,
  defineFlow,
  defineResponder,
  defineState,
  InstantC,
  instantFromMillis,
  IntegerC,
  NoInputC,
  PartyC,
  type FlowBody,
  type Node,
  type Page,
  type StateAndRef,
  type StateDefinition,
} from 'carillon'

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
      tx.replace(neuron, { refreshedAt: now }).command(NeuronCommand, [neuron.data.owner], { neuronId }),
    )
    return 'refreshed'
  },
})

export const Archive = defineState({
  type: 'governance/Archive',
  data: t.strict({ owner: PartyC, settled: IntegerC, archived: IntegerC }),
  participants: ({ owner }) => [owner],
})

export const ArchiveCommand = defineCommand({ type: 'governance/ManageArchive' })

/** Settles more proposals, so that there is something to archive. */
export const SettleProposals = defineFlow({
  name: 'governance/SettleProposals',
  input: t.strict({ count: IntegerC }),
  *run(io, { count }): FlowBody<void> {
    const [archive] = yield* io.query(Archive, { limit: 1 })
    const { settled, archived } = archive?.data ?? { settled: 0, archived: 0 }
    yield* io.finalise((tx) =>
      tx
        .consume(...(archive === undefined ? [] : [archive]))
        .produce(Archive, { owner: io.me, settled: settled + count, archived })
        .command(ArchiveCommand, [io.me]),
    )
  },
})

const portion = 10

type Progress = { readonly archived: number; readonly settled: number }

export const ArchiveProgress = defineFlow({
  name: 'governance/ArchiveProgress',
  input: NoInputC,
  *run(io): FlowBody<Progress> {
    const [archive] = yield* io.query(Archive, { limit: 1 })
    return { archived: archive?.data.archived ?? 0, settled: archive?.data.settled ?? 0 }
  },
})

/** Archives the portion that begins at `from`. One that was archived before is left as it is. */
export const ArchivePortion = defineFlow({
  name: 'governance/ArchivePortion',
  input: t.strict({ from: IntegerC }),
  *run(io, { from }): FlowBody<Progress> {
    const [archive] = yield* io.query(Archive, { limit: 1 })
    if (archive === undefined) return { archived: 0, settled: 0 }
    const { settled, archived, owner } = archive.data
    if (archived !== from) return { archived, settled }
    const next = Math.min(archived + portion, settled)
    yield* io.finalise((tx) => tx.replace(archive, { archived: next }).command(ArchiveCommand, [owner]))
    return { archived: next, settled }
  },
})

export const Following = defineState({
  type: 'governance/Following',
  data: t.strict({
    owner: PartyC,
    followee: PartyC,
    /** When the followee last answered, and with how many neurons it then voted. */
    answeredAt: t.union([InstantC, t.null]),
    votingNeurons: IntegerC,
  }),
  participants: ({ owner }) => [owner],
  key: ({ followee }) => followee.name,
})

export const FollowingCommand = defineCommand({ type: 'governance/ManageFollowing' })

/** Follows a party; following it again changes nothing. */
export const Follow = defineFlow({
  name: 'governance/Follow',
  input: t.strict({ followee: PartyC }),
  *run(io, { followee }): FlowBody<void> {
    if ((yield* io.find(Following, followee.name)) !== undefined) return
    yield* io.finalise((tx) =>
      tx
        .produce(Following, { owner: io.me, followee, answeredAt: null, votingNeurons: 0 })
        .command(FollowingCommand, [io.me]),
    )
  },
})

/** Asks a followee's node, and waits for its answer for as long as that takes: it may be down for days. */
export const AskFollowee = defineFlow({
  name: 'governance/AskFollowee',
  input: t.strict({ followee: PartyC }),
  *run(io, { followee }): FlowBody<void> {
    const session = yield* io.initiate(followee)
    const { votingNeurons } = yield* session.receive(t.strict({ votingNeurons: IntegerC }))
    const answeredAt = yield* io.now()
    const following = yield* io.find(Following, followee.name)
    if (following === undefined) return
    yield* io.finalise((tx) => tx.replace(following, { answeredAt, votingNeurons }).command(FollowingCommand, [io.me]))
  },
})

/** The followee's side: it says with how many neurons it votes. */
export const AnswerFollower = defineResponder({
  name: 'governance/AnswerFollower',
  respondsTo: AskFollowee,
  *run(io, session): FlowBody<void> {
    let votingNeurons = 0
    for (let after: string | undefined = '0'; after !== undefined;) {
      const page: Page<StateAndRef<NeuronData>, string> = yield* io.queryPage(Neuron, { after })
      votingNeurons += page.items.filter(({ data }) => !data.isDissolved).length
      after = page.next
    }
    yield* session.send({ votingNeurons })
  },
})

export const governanceStates = [Neuron, Archive, Following]
export const governanceFlows = [
  ...[CreateNeuron, RefreshVotingPower, SettleProposals, ArchiveProgress, ArchivePortion],
  ...[Follow, AskFollowee, AnswerFollower],
]

/** Gives the chores something to work on, unless there is something already: says whether it did. */
export const populate = async (node: Node): Promise<boolean> => {
  if ((await node.states(Neuron)).length > 0) return false
  for (const neuronId of ['neuron-1', 'neuron-2', 'neuron-3'])
    await node.run(CreateNeuron, { neuronId, isDissolved: neuronId === 'neuron-2' })
  await node.run(SettleProposals, { count: 250 })
  return true
}

const sorted = (names: readonly string[]): readonly string[] => names.toSorted((a, b) => a.localeCompare(b))

/** All states of a kind, however many there are: the vault answers in pages. */
const all = async <A>(node: Node, definition: StateDefinition<A>): Promise<readonly A[]> => {
  const found: A[] = []
  for (let after: string | undefined = '0'; after !== undefined;) {
    const page: Page<StateAndRef<A>, string> = await node.query(definition, { after, limit: 1_000 })
    for (const { data } of page.items) found.push(data)
    after = page.next
  }
  return found
}

/** What chores ask of the governance, on the node that is there when they ask. */
export const governanceOn = (node: () => Node) => ({
  /** The ids of all neurons, in order. */
  listNeurons: async () => sorted((await all(node(), Neuron)).map(({ neuronId }) => neuronId)),

  refreshVotingPower: async (neuronId: string): Promise<void> => {
    await node().run(RefreshVotingPower, { neuronId }, { by: 'chores' })
  },

  progress: () => node().run(ArchiveProgress, {}, { by: 'chores' }),

  archiveFrom: (from: number) => node().run(ArchivePortion, { from }, { by: 'chores' }),

  /** The day it is, in UTC. */
  today: (): string => dayOf(instantFromMillis(node().nowMs)),

  /** The names of all parties that are followed, in order. */
  listFollowees: async () => sorted((await all(node(), Following)).map(({ followee }) => followee.name)),

  /** Has a party asked, once a day, and does not wait for its answer. */
  askFollowee: async (name: string, day: string): Promise<void> => {
    const following = await node().find(Following, name)
    if (following === undefined) throw new Error(`${name} is not followed any more.`)
    await node().start(AskFollowee, { followee: following.data.followee }, { clientId: `ask ${name} ${day}` })
  },

  /** With how many neurons each party votes that has answered on a day or later. */
  answersSince: async (day: string): Promise<ReadonlyMap<string, number>> => {
    const answered = (await all(node(), Following)).filter(
      ({ answeredAt }) => answeredAt !== null && dayOf(answeredAt) >= day,
    )
    return new Map(answered.map(({ followee, votingNeurons }) => [followee.name, votingNeurons]))
  },
})
export type Governance = ReturnType<typeof governanceOn>
