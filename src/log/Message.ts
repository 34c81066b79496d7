/**
 * What travels between the two ends of a session. Each end numbers its messages from 0; a message is recorded
 * before it leaves, sent again until it is acknowledged, and taken once.
 */
import * as t from 'io-ts'
import type { Encoded, Json } from '../encoding/canonical.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { JsonC } from '../encoding/JsonC.js'
import { HashC } from '../encoding/hash.js'
import { CheckpointC } from './Checkpoint.js'
import { SessionIdC } from './SessionId.js'

/** The end that opened the session, or the one that answers it. */
export const RoleC = t.keyof({ initiator: null, responder: null })
/** Which end of a session. */
export type SessionRole = t.TypeOf<typeof RoleC>

export const otherRole = (role: SessionRole): SessionRole => (role === 'initiator' ? 'responder' : 'initiator')

/** Short text: what another party writes into it is repeated in errors and recorded. */
const shortText = (longest: number) =>
  t.refinement(t.string, (text) => text.length <= longest && text.isWellFormed(), `Text up to ${longest}`)

const SeqC = t.refinement(IntegerC, (seq) => seq >= 0, 'Seq')

export const MessageC = t.union(
  [
    /** The first message: which flow opens the session, so that its counterpart can be started. */
    t.strict({ kind: t.literal('open'), flow: shortText(500), version: IntegerC, nonce: HashC }),
    t.strict({ kind: t.literal('data'), payload: JsonC }),
    /** The sender's flow has ended well, or closed the session. */
    t.strict({ kind: t.literal('end') }),
    /** The sender's flow has failed. */
    t.intersection([
      t.strict({ kind: t.literal('error'), code: shortText(100), message: shortText(4_000) }),
      t.exact(t.partial({ details: t.UnknownRecord })),
    ]),
  ],
  'Message',
)
/** What travels between the two ends of a session. */
export type Message = t.TypeOf<typeof MessageC>

/** A message as it is about to be recorded: what it carries may be canonical text already. */
export type WrittenMessage =
  Exclude<Message, { readonly kind: 'data' }> | { readonly kind: 'data'; readonly payload: Json | Encoded }

const SessionEnvelopeC = t.union([
  t.strict({ kind: t.literal('message'), session: SessionIdC, from: RoleC, seq: SeqC, message: MessageC }),
  /** Sent back once a message is durable at its receiver. `credit`: messages with lower numbers may be sent. */
  t.intersection([
    t.strict({ kind: t.literal('ack'), session: SessionIdC, from: RoleC, seq: SeqC }),
    t.exact(t.partial({ credit: SeqC })),
  ]),
  /** The flow at the sender's end has read on: messages with numbers below `seq` may be sent. */
  t.strict({ kind: t.literal('credit'), session: SessionIdC, from: RoleC, seq: SeqC }),
  /**
   * A message was not taken, and nothing of it was recorded. With `retryAfterMs` it may be sent again then; without it
   * never. `credit` is as in an acknowledgement, `details` as in an error.
   */
  t.intersection([
    t.strict({
      kind: t.literal('refused'),
      session: SessionIdC,
      from: RoleC,
      seq: SeqC,
      code: shortText(100),
      message: shortText(1_000),
    }),
    t.exact(t.partial({ credit: SeqC, retryAfterMs: SeqC, details: t.UnknownRecord })),
  ]),
])
/** A message or an acknowledgement on its way. */
export type SessionEnvelope = t.TypeOf<typeof SessionEnvelopeC>

const CheckpointEnvelopeC = t.union([
  /** The newest checkpoint of the sender's own log, to be kept. */
  t.strict({ kind: t.literal('checkpoint'), checkpoint: CheckpointC }),
  /** Which checkpoint of the sender's log does the receiver keep? */
  t.strict({ kind: t.literal('checkpoint-asked') }),
  /** The answer to both, once it is durable: the newest checkpoint of the receiver's log that the sender keeps, if any. */
  t.intersection([t.strict({ kind: t.literal('checkpoint-kept') }), t.exact(t.partial({ checkpoint: CheckpointC }))]),
])
/** What nodes tell each other about where their logs stand. It belongs to no session, and nobody waits for it. */
export type CheckpointEnvelope = t.TypeOf<typeof CheckpointEnvelopeC>

export const EnvelopeC = t.union([SessionEnvelopeC, CheckpointEnvelopeC], 'Envelope')
/** What travels between two nodes: messages of sessions with their acknowledgements, and checkpoints. */
export type Envelope = t.TypeOf<typeof EnvelopeC>

export const isOfSession = (envelope: Envelope): envelope is SessionEnvelope => 'session' in envelope
