/**
 * Whom this party's neurons follow: other parties, each with a node of its own, asked from time to time whether it still
 * votes. Asking twice on one day is the same as once.
 */
import * as t from 'io-ts'
import {
  defineCommand,
  defineFlow,
  defineResponder,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  type FlowBody,
  type Page,
  type StateAndRef,
} from 'carillon'
import { Neuron, type NeuronData } from './Neuron.js'

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
    yield* io.finalise((tx) =>
      tx
        .consume(following)
        .produce(Following, { ...following.data, answeredAt, votingNeurons })
        .command(FollowingCommand, [io.me]),
    )
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
