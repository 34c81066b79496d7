/** A member of a virtual network that holds a valid key and says whatever it likes to the others. */
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { defineFlow, JsonC, PartyC, type FlowBody, type FlowId, type Json, type Party, type StateRef } from 'carillon'
import type { KeyPair } from 'carillon/keys'
import { keyPairFromSeed, type VirtualNetwork } from 'carillon/testing'
import { sha256 } from '../../src/encoding/hash.js'
import type { SignedTransaction } from '../../src/ledger/SignedTransaction.js'
import { signTransaction } from '../../src/ledger/signatures.js'
import { sealBody, type TransactionBody } from '../../src/ledger/Transaction.js'
import type { TransactionId } from '../../src/ledger/TransactionId.js'

const SayC = t.strict({ to: PartyC, as: t.string, says: t.readonlyArray(JsonC) })

/** Opens a session in the name of any flow, says one thing after the other, and gives what was answered to each. */
export const Say = defineFlow({
  name: 'stranger/Say',
  input: SayC,
  *run(io, { to, as, says }): FlowBody<Json> {
    const speak = defineFlow({
      name: as,
      input: t.strict({}),
      *run(inner): FlowBody<Json> {
        const answers: Json[] = []
        const session = yield* inner.initiate(to)
        for (const message of says) {
          // Several at once: only the last is answered.
          for (const one of Array.isArray(message) ? (message as readonly Json[]) : [message]) yield* session.send(one)
          const answer = yield* inner.attempt(session.receive(JsonC))
          if (!isLeft(answer)) answers.push(answer.right)
          else return [...answers, { error: String(answer.left.details['code'] ?? answer.left.code) }]
        }
        return answers
      },
    })
    return yield* io.subFlow(speak, {})
  },
})

/** What a stranger can do. Its app must list {@link Say}. */
export class Stranger {
  #salt = 0

  constructor(
    readonly network: VirtualNetwork,
    readonly seed: string,
    readonly name = 'Mallory',
  ) {}

  key(name: string): KeyPair {
    return keyPairFromSeed(sha256(`key of ${name} ${this.seed}`))
  }

  party(name: string): Party {
    return this.network.party(name)
  }

  /** A transaction of one's own making. */
  body(
    parts: Partial<TransactionBody> & {
      readonly produces?: readonly { readonly type: string; readonly contract?: string; readonly data: Json }[]
    },
  ): TransactionBody {
    this.#salt += 1
    const { produces = [], ...rest } = parts
    return {
      inputs: [],
      references: [],
      outputs: produces.map(({ type, contract = 'carillon/participants-sign', data }) => ({
        type,
        version: 1,
        contract: { name: contract, version: 1 },
        data,
      })),
      commands: [{ type: 'stranger/Do', data: null }],
      signers: [[this.key(this.name).publicKey]],
      notary: this.party('Notary'),
      salt: sha256(`salt ${this.#salt}`).slice(0, 32),
      ...rest,
    }
  }

  sign(body: TransactionBody, names: readonly string[] = [this.name]): SignedTransaction {
    const { id } = sealBody(body)
    return { body, signatures: names.map((name) => signTransaction(this.key(name), this.network.map.id, id)) }
  }

  /** Says things to a party in the name of a flow, and gives the answers. */
  async say(to: string, as: string, ...says: readonly unknown[]): Promise<readonly Json[]> {
    const input = { to: this.party(to), as, says: says as readonly Json[] }
    const { id } = await this.network.node(this.name).start(Say, input)
    await this.network.advanceBy({ minutes: 1 })
    return (await this.network.node(this.name).resultOf(id)) as readonly Json[]
  }

  /** Pushes a final transaction at a party that has not asked for it. */
  push(to: string, signed: SignedTransaction): Promise<readonly Json[]> {
    return this.say(to, 'carillon/Broadcast', { type: 'finality', transaction: signed })
  }
}

/** The ids of the transactions that a party has recorded, and which of them only as ancestors. */
export const recordedBy = async (network: VirtualNetwork, name: string) => {
  const all: TransactionId[] = []
  const ancestors: TransactionId[] = []
  for (const { event } of await network.inspect(name).log()) {
    if (event.type !== 'TransactionRecorded') continue
    all.push(event.id)
    if (event.ancestor === true) ancestors.push(event.id)
  }
  return { all, ancestors }
}

export const idOf = ({ body }: SignedTransaction): TransactionId => sealBody(body).id
export const outputOf = (signed: SignedTransaction, index = 0): StateRef => ({ transaction: idOf(signed), index })
export type { FlowId }
