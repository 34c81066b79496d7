/**
 * Signing a transaction of which only a part is shown: what an oracle does. Whoever asks tears off everything but
 * that part; whoever signs has checked that the part belongs to the transaction, that a command asks for its key, and that
 * all which do are shown and of a kind it signs for.
 */
import { isLeft, left } from 'fp-ts/lib/Either.js'
import type { Json } from '../../encoding/canonical.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { orThrow } from '../../errors/Decision.js'
import type { FlowBody } from '../FlowDefinition.js'
import type { FlowIo } from '../FlowIo.js'
import { Session } from '../Session.js'
import { primitiveKeys, type Key } from '../../identity/Key.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { CommandDefinition } from '../../ledger/Command.js'
import type { StateRef } from '../../ledger/StateRef.js'
import type { TransactionSignature } from '../../ledger/signatures.js'
import { checkTearOff, showsCommandsFor, tearOff, type TearOff, type Visible } from '../../ledger/TearOff.js'
import { componentsOf, type TransactionBody } from '../../ledger/Transaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { ask } from '../ask.js'
import { PartRequestC } from '../../finality/protocol.js'
import { comeTo, type Verdict } from './Verdict.js'

/** A component of a transaction, for whoever decides whether to show it. Data is in encoded form. */
export type TransactionPart =
  | { readonly group: 'inputs' | 'references'; readonly ref: StateRef }
  | { readonly group: 'outputs'; readonly type: string; readonly data: Json }
  | { readonly group: 'commands'; readonly type: string; readonly data: Json; readonly signers: readonly Key[] }

/** A party that signs a transaction having been shown a part of it. */
export type PartSigner = {
  readonly session: Session
  /** What it is shown beside the time window, the notary and who signs. Default: the commands that ask for its key. */
  readonly reveal?: (part: TransactionPart) => boolean
}

/** The reason not to sign what is shown, or nothing. A check that has to look things up is a generator. */
export type PartCheck = (shown: Visible) => Verdict

const asksForKey = (signers: readonly Key[], key: PublicKey): boolean =>
  signers.some((signer) => primitiveKeys(signer).includes(key))

const asksFor =
  (key: PublicKey) =>
  (part: TransactionPart): boolean =>
    part.group === 'commands' && asksForKey(part.signers, key)

const partsOf = (body: TransactionBody): Readonly<Record<string, readonly TransactionPart[]>> => ({
  inputs: body.inputs.map((ref) => ({ group: 'inputs', ref })),
  references: body.references.map((ref) => ({ group: 'references', ref })),
  outputs: body.outputs.map(({ type, data }) => ({ group: 'outputs', type, data })),
  commands: body.commands.map(({ type, data }, index) => ({
    group: 'commands',
    type,
    data,
    signers: body.signers[index] ?? [],
  })),
})

/** The transaction with everything torn off that the signer need not see. */
export const tearOffFor = (id: TransactionId, body: TransactionBody, { session, reveal }: PartSigner): TearOff => {
  const parts = partsOf(body)
  const shows = reveal ?? asksFor(session.party.key)
  // Who signs is always shown: by it alone the signer can tell that no command for its key is hidden.
  return tearOff(id, componentsOf(body), (group, index) => {
    const part = parts[group]?.[index]
    return group === 'signers' || (part !== undefined && shows(part))
  })
}

/** Why this party must not sign what it is shown, whatever the app thinks of it; undefined when it may. */
const faultOf = (io: FlowIo, shown: Visible, kinds: readonly CommandKind[]): string | undefined => {
  const { me } = io
  // There is one signature by one key: a notary's would be its word that nothing is consumed twice.
  if (shown.notary.key === me.key) return `${me.name} is the notary of the transaction and has to see more`
  if (shown.signers?.length !== shown.counts.commands) return 'it does not show for every command who signs'
  const asking = shown.signers.flatMap((signers, index) => (asksForKey(signers, me.key) ? [index] : []))
  if (asking.length === 0) return `no command asks for the signature of ${me.name}`
  if (!showsCommandsFor(shown, me.key)) return `a command that asks for the signature of ${me.name} is hidden`
  const strange = shown.commands.find(
    ({ index, type }) => asking.includes(index) && !kinds.some((kind) => kind.type === type),
  )
  return strange === undefined ? undefined : `${me.name} does not sign for commands of the kind ${strange.type}`
}

/** A kind of command that a party signs for. */
export type CommandKind = Pick<CommandDefinition, 'type'>

/**
 * Receives a part of a transaction, checks that it is one, and signs unless `check` gives a reason to refuse. Every
 * command that asks for this party's signature is shown, there is at least one, and all are of the given kinds.
 */
export const signTearOff = function* (
  io: FlowIo,
  session: Session,
  commands: CommandKind | readonly CommandKind[],
  check: PartCheck,
): FlowBody<Visible> {
  const { tearOff: torn } = yield* session.receive(PartRequestC)
  const checked = orThrow(checkTearOff(torn))
  const shown = checked
  const fault = faultOf(io, shown, 'type' in commands ? [commands] : commands)
  const verdict = fault === undefined ? yield* comeTo(check(shown)) : left(fault)
  if (isLeft(verdict)) {
    const reason = verdict.left
    yield* session.send({ type: 'refused', reason })
    throw new CarillonError(
      'signature-refused',
      `${io.me.name} refused to sign what ${session.party.name} showed it: ${reason}`,
      { party: session.party.name, reason },
    )
  }
  const signature = (yield* ask({ kind: 'signId', id: torn.id })) as TransactionSignature
  Session.noteSigned(session, torn.id)
  yield* session.send({ type: 'signature', signature })
  return shown
}
