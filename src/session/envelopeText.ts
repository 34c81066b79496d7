/**
 * Envelopes as text. A message is canonical text from the moment it is recorded, and stays so on its way: it is not
 * read in order to be written again.
 */
import { Encoded, rememberText } from '../encoding/canonical.js'
import type { Envelope, Message } from '../log/Message.js'
import type { OutgoingRow } from './SessionRow.js'

const before = (role: string): string => `{"from":"${role}","kind":"message","message":`
const after = (seq: number, session: string): string => `,"seq":${seq},"session":"${session}"}`

/** The envelope of a recorded message. Its text is known; the message itself is read by whoever asks for it. */
export const envelopeOf = ({ session, role, seq, text }: Omit<OutgoingRow, 'revision' | 'party'>): Envelope => {
  const envelope: Envelope = {
    kind: 'message',
    session,
    from: role,
    seq,
    get message(): Message {
      return JSON.parse(text) as Message
    },
  }
  rememberText(envelope, new Encoded(`${before(role)}${text}${after(seq, session)}`))
  return envelope
}

/**
 * Reads an envelope from its canonical text, and keeps the text of what it carries: that is recorded next. Only for text
 * that this process has written itself, as in a virtual network: a stranger's need not be canonical, and would be kept as
 * if it were.
 */
export const openEnvelope = (text: string): Envelope => {
  const envelope = JSON.parse(text) as Envelope
  if (envelope.kind !== 'message' || envelope.message.kind !== 'data') return envelope
  const { from, seq, session, message } = envelope
  const { payload } = message
  if (typeof payload === 'object' && payload !== null) {
    const start = `${before(from)}{"kind":"data","payload":`.length
    rememberText(payload, new Encoded(text.slice(start, text.length - `}${after(seq, session)}`.length)))
  }
  return envelope
}
