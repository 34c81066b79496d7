/**
 * Signing a transaction of which only a part is shown: what an oracle does. Whoever asks tears off everything but
 * that part; whoever signs has checked that the part belongs to the transaction, and that no command which asks for
 * its key is kept from it.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Json } from '../../encoding/canonical.js'
import { CarillonError } from '../../errors/CarillonError.js'
import type { FlowBody } from '../FlowDefinition.js'
import type { FlowIo } from '../FlowIo.js'
import type { Session } from '../Session.js'
import { primitiveKeys, type Key } from '../../identity/Key.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { StateRef } from '../../ledger/StateRef.js'
import type { TransactionSignature } from '../../ledger/signatures.js'
import { checkTearOff, showsCommandsFor, tearOff, type TearOff, type Visible } from '../../ledger/TearOff.js'
import { componentsOf, type TransactionBody } from '../../ledger/Transaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { perform } from './history.js'
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

const asksFor =
  (key: PublicKey) =>
  (part: TransactionPart): boolean =>
    part.group === 'commands' && part.signers.some((signer) => primitiveKeys(signer).includes(key))

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

/** The contents of a tear-off, or why this party must not sign it, whatever the app thinks of it. */
const contentsOf = (io: FlowIo, torn: TearOff): Either<string, Visible> => {
  const checked = checkTearOff(torn)
  if (isLeft(checked)) throw checked.left
  const shown = checked.right
  // There is one signature by one key: a notary's would be its word that nothing is consumed twice.
  if (shown.notary.key === io.me.key) return left(`${io.me.name} is the notary of the transaction and has to see more`)
  return showsCommandsFor(shown, io.me.key)
    ? right(shown)
    : left(`a command that asks for the signature of ${io.me.name} is hidden`)
}

/** Receives a part of a transaction, checks that it is one, and signs unless `check` gives a reason to refuse. */
export const signTearOff = function* (io: FlowIo, session: Session, check: PartCheck): FlowBody<Visible> {
  const { tearOff: torn } = yield* session.receive(PartRequestC)
  const contents = contentsOf(io, torn)
  const verdict = isLeft(contents) ? contents : yield* comeTo(check(contents.right))
  if (isLeft(contents) || isLeft(verdict)) {
    const reason = isLeft(verdict) ? verdict.left : 'it cannot be read'
    yield* session.send({ type: 'refused', reason })
    throw new CarillonError(
      'signature-refused',
      `${io.me.name} refused to sign what ${session.party.name} showed it: ${reason}`,
      { party: session.party.name, reason },
    )
  }
  const signature = (yield* perform({ kind: 'signId', id: torn.id })) as TransactionSignature
  yield* session.send({ type: 'signature', signature })
  return contents.right
}
