/** Tokens that anyone may move about as long as their owner signs, and a party that asks the notary whatever it likes. */
import * as t from 'io-ts'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import {
  allOf,
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineState,
  IntegerC,
  JsonC,
  PartyC,
  rule,
  type FlowBody,
  type FlowId,
  type Json,
  type Party,
  type StateRef,
  type TimeWindow,
} from 'carillon'
import type { KeyPair } from 'carillon/keys'
import type { NotaryKind } from 'carillon/network'
import { keyPairFromSeed, VirtualNetwork } from 'carillon/testing'
import { sha256 } from '../../src/encoding/hash.js'
import { signTransaction, TransactionSignatureC, type TransactionSignature } from '../../src/ledger/signatures.js'
import { tearOff, type TearOff } from '../../src/ledger/TearOff.js'
import { componentsOf, sealBody, type TransactionBody } from '../../src/ledger/Transaction.js'
import type { TransactionId } from '../../src/ledger/TransactionId.js'
import { textToSign } from '../../src/identity/NetworkId.js'
import type { NotaryRequest } from '../../src/notary/NotaryRequest.js'

const contract = defineContract({
  name: 'token/Token',
  verify: (transaction) =>
    allOf(transaction.outputsOf(Token).map(({ data }) => rule('a token has a number', data.number >= 0))),
})

export const Token = defineState({
  type: 'token/Token',
  data: t.strict({ owner: PartyC, number: IntegerC }),
  contract,
  participants: ({ owner }) => [owner],
})

export const Move = defineCommand({ type: 'token/Move' })

/** Makes tokens under the network's notary, which is told, so that it need not be sent their history. */
export const Issue = defineFlow({
  name: 'token/Issue',
  input: t.strict({ count: IntegerC, observers: t.readonlyArray(PartyC) }),
  *run(io, { count, observers }): FlowBody<TransactionId> {
    const done = yield* io.finalise(
      (draft) => {
        for (let number = 0; number < count; number++) draft.produce(Token, { owner: io.me, number })
        return draft.command(Move, [io.me])
      },
      { observers },
    )
    return done.id
  },
})

/** Speaks to the notary in the name of the flow that notarises, without being it. */
const AskRaw = defineFlow({
  name: 'carillon/Notarise',
  input: t.strict({ notary: PartyC, request: JsonC }),
  *run(io, { notary, request }): FlowBody<TransactionSignature> {
    const session = yield* io.initiate(notary)
    const { signature } = yield* session.sendAndReceive(
      { type: 'notarise', request },
      t.strict({ type: t.literal('signature'), signature: TransactionSignatureC }),
    )
    return signature
  },
})

export const Ask = defineFlow({
  name: 'token/Ask',
  input: t.strict({ notary: PartyC, request: JsonC }),
  *run(io, input): FlowBody<Json> {
    const asked = yield* io.attempt(io.subFlow(AskRaw, input))
    if (isLeft(asked)) return { ...asked.left.details, error: String(asked.left.details['code'] ?? asked.left.code) }
    return { signedBy: asked.right.by, signature: asked.right as unknown as Json }
  },
})

export const app = defineApp({
  name: 'token',
  states: [Token],
  flows: [Issue, Ask],
  agreesTo: { observe: () => right(undefined) },
})

export type Reply = {
  readonly error?: string
  readonly ref?: string
  readonly consumedBy?: string
  readonly signedBy?: string
  readonly signature?: TransactionSignature
}

export class TokenNetwork {
  readonly #seed: string
  readonly #kind: NotaryKind
  #salt = 0
  readonly #bodies = new Map<TransactionId, TransactionBody>()

  private constructor(
    readonly network: VirtualNetwork,
    seed: string,
    kind: NotaryKind,
  ) {
    this.#seed = seed
    this.#kind = kind
  }

  static async start(seed: string, kind: NotaryKind): Promise<TokenNetwork> {
    const network = await VirtualNetwork.start({
      parties: { Alice: { app }, Mallory: { app }, Notary: { app, notary: kind }, Other: { app, notary: kind } },
      seed,
    })
    return new TokenNetwork(network, seed, kind)
  }

  key(name: string): KeyPair {
    return keyPairFromSeed(sha256(`key of ${name} ${this.#seed}`))
  }

  /** Fresh tokens of Alice's, known to the notary. */
  async issue(count: number): Promise<readonly StateRef[]> {
    const refs: StateRef[] = []
    while (refs.length < count) {
      const input = { count: Math.min(250, count - refs.length), observers: [this.network.party('Notary')] }
      const handle = await this.network.node('Alice').start(Issue, input)
      await this.network.advanceBy({ seconds: 1 })
      const transaction = await handle.result()
      for (let index = 0; index < input.count; index++) refs.push({ transaction, index })
    }
    for (const { event } of await this.network.inspect('Alice').log())
      if (event.type === 'TransactionRecorded' && 'inputs' in event.body) this.#bodies.set(event.id, event.body)
    return refs
  }

  body(parts: {
    readonly inputs?: readonly StateRef[]
    readonly references?: readonly StateRef[]
    readonly window?: TimeWindow
    readonly notary?: Party
    readonly number?: number
  }): TransactionBody {
    const alice = this.network.party('Alice')
    this.#salt += 1
    return {
      inputs: parts.inputs ?? [],
      references: parts.references ?? [],
      outputs: [
        {
          type: 'token/Token',
          version: 1,
          contract: { name: 'token/Token', version: 1 },
          data: { owner: alice, number: parts.number ?? 7 },
        },
      ],
      commands: [{ type: 'token/Move', data: null }],
      signers: [[alice.key]],
      notary: parts.notary ?? this.network.party('Notary'),
      salt: sha256(`salt ${this.#salt}`).slice(0, 32),
      ...(parts.window === undefined ? {} : { timeWindow: parts.window }),
    }
  }

  /** What an honest party would ask about a transaction; `change` makes it less honest. */
  request(body: TransactionBody, change: { readonly caller?: string; readonly type?: NotaryRequest['type'] } = {}) {
    const { id } = sealBody(body)
    const network = this.network.map.id
    const callerSignature = this.key(change.caller ?? 'Alice').sign(textToSign('notary request', network, id))
    const type = change.type ?? (this.#kind === 'validating' ? 'whole' : 'tearOff')
    const request: NotaryRequest =
      type === 'whole'
        ? {
            type,
            transaction: { body, signatures: [signTransaction(this.key('Alice'), network, id)] },
            callerSignature,
          }
        : {
            type,
            tearOff: tearOff(id, componentsOf(body), (group) => group === 'inputs' || group === 'references'),
            ...this.referenced(body),
            callerSignature,
          }
    return request
  }

  /** What a notary that does not validate is shown of those transactions whose outputs are referenced. */
  referenced({ references }: TransactionBody): { readonly referenced?: readonly TearOff[] } {
    const ids = [...new Set(references.map(({ transaction }) => transaction))]
    const referenced = ids.flatMap((id) => {
      const body = this.#bodies.get(id)
      return body === undefined ? [] : [tearOff(id, componentsOf(body), () => false)]
    })
    return referenced.length === 0 ? {} : { referenced }
  }

  /** Asks all at once and gives the answers in the same order. */
  async ask(
    requests: readonly NotaryRequest[],
    { caller = 'Alice', notary = 'Notary' }: { readonly caller?: string; readonly notary?: string } = {},
  ): Promise<readonly Reply[]> {
    const node = this.network.node(caller)
    const ids: FlowId[] = []
    for (const request of requests) {
      const input = { notary: this.network.party(notary), request: request as unknown as Json }
      ids.push((await node.start(Ask, input)).id)
    }
    await this.network.advanceBy({ seconds: 5 })
    return Promise.all(ids.map(async (id) => (await node.resultOf(id)) as Reply))
  }

  async askOne(
    request: NotaryRequest,
    options: { readonly caller?: string; readonly notary?: string } = {},
  ): Promise<Reply> {
    const [reply] = await this.ask([request], options)
    if (reply === undefined) throw new Error('no answer')
    return reply
  }
}
