/**
 * Transactions for logs that a test writes: of one party or of several, with all forms of keys and signatures.
 */
import { sha256 } from '../../src/encoding/hash.js'
import type { Key } from '../../src/identity/Key.js'
import { ownNetworkId, type NetworkId } from '../../src/identity/NetworkId.js'
import type { PublicKey } from '../../src/identity/PublicKey.js'
import { requiredKeys } from '../../src/ledger/SignedTransaction.js'
import {
  signaturesOfTick,
  signTransaction,
  textOfTick,
  type TransactionSignature,
} from '../../src/ledger/signatures.js'
import { sealBody, type TransactionBody } from '../../src/ledger/Transaction.js'
import type { TransactionId } from '../../src/ledger/TransactionId.js'
import type { Chance } from '../../src/testing/simulation/Chance.js'
import { instant } from '../../src/time/Instant.js'
import { keyNamed, type WrittenParty } from './WrittenParty.js'

export type Scene = {
  readonly chance: Chance
  readonly network: NetworkId
  readonly own: WrittenParty
  readonly others: readonly WrittenParty[]
  /** Whether some of it may be wrong. */
  readonly mayForge: boolean
}

const several = <A>(count: number, make: (index: number) => A): readonly A[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** A key that these parties can satisfy together; with composites, also by some of them. */
const keyFor = (chance: Chance, parties: readonly [PublicKey, ...PublicKey[]], depth = 0): Key => {
  const [first] = parties
  if (depth > 3 || chance.below(3) > 0) return chance.pick([first, ...parties])
  const children = [
    { key: keyFor(chance, parties, depth + 1), weight: chance.between(1, 3) },
    { key: keyNamed(`absent ${depth}`).publicKey, weight: chance.between(1, 3) },
  ]
  return { threshold: chance.between(1, children[0]?.weight ?? 1), children }
}

const bodyOf = ({ chance, own, others, mayForge }: Scene, parties: readonly WrittenParty[]): TransactionBody => {
  const names = parties.map(({ identity }) => identity)
  const possible: readonly [PublicKey, ...PublicKey[]] =
    mayForge && chance.oneIn(4)
      ? [chance.pick([own, ...others]).current.publicKey, ...names]
      : [names[0] ?? own.identity, ...names.slice(1)]
  const ref = (index: number) => ({ transaction: sha256(`ref ${index}`), index })
  const commands = chance.oneIn(6) ? chance.between(15, 40) : chance.between(0, 3)
  const notary = parties.at(-1) ?? own
  return {
    inputs: several(chance.below(3), ref),
    references: several(chance.below(2), ref),
    outputs: several(chance.below(4), (index) => ({
      ...{ type: 'test/Thing', version: 1, contract: { name: 'test/Rules', version: 1 } },
      data: { index, text: chance.pick(['plain', 'ü\n"\\', '😀', '']), share: 0.25 },
    })),
    commands: several(commands, (index) => ({ type: 'test/Make', data: { index } })),
    signers: several(commands, () => several(chance.below(3), () => keyFor(chance, possible))),
    notary: { name: notary.name, key: notary.identity },
    salt: chance.pick(['', 'salt', sha256(`salt ${chance.below(1_000)}`).slice(0, 32)]),
    ...(chance.oneIn(4) ? { timeWindow: { until: instant('2030-01-01T00:00:00Z') } } : {}),
    ...(chance.oneIn(8) ? { newNotary: { name: own.name, key: own.identity } } : {}),
  }
}

/** A party's signature, alone or as that of a tick. */
const signAs = ({ chance, network, mayForge }: Scene, party: WrittenParty, id: TransactionId): TransactionSignature => {
  const isForged = mayForge && chance.oneIn(6)
  const key = isForged ? chance.pick([...party.keys, keyNamed('nobody')]) : party.current
  const there = isForged
    ? chance.pick([sha256('elsewhere'), ownNetworkId(key.publicKey)])
    : party.networkFor(chance, network)
  if (chance.oneIn(2)) return signTransaction(key, there, id)
  const ids = several(chance.between(1, 6), (index) => sha256(`beside ${index}`))
  const place = chance.below(ids.length)
  const all = ids.with(place, id)
  const hash = sha256('another log')
  const proof = signaturesOfTick(key.publicKey, hash, all, key.sign(textOfTick(there, hash, all)))[place]
  return proof ?? signTransaction(key, there, id)
}

/** A TransactionRecorded of one party or of several. */
export const writeTransaction = (scene: Scene): object => {
  const { chance, own, others, mayForge } = scene
  const isShared = chance.oneIn(2)
  const parties = isShared ? chance.some([own, ...others], chance.between(1, 3)) : [own]
  const body = bodyOf(scene, parties)
  const { id } = sealBody(body)
  const assessments = body.outputs.map(() => ({
    relevant: chance.oneIn(2),
    participants: [own.identity],
    ...(chance.oneIn(3) ? { key: 'k', indexed: { name: 'n', share: 0.5, on: true } } : {}),
    ...(chance.oneIn(3)
      ? {
          actsAt: '2026-02-28T23:59:59.999Z',
          failure: {
            code: 'c',
            message: 'm',
            details: {},
            stack: 's',
            causes: [{ name: 'n', message: 'm', stack: 's' }],
          },
        }
      : {}),
    ...(chance.oneIn(3)
      ? { activity: { at: '2024-02-29T00:00:00.000Z', flow: { name: 'f', input: null }, once: true } }
      : {}),
  }))
  const recorded = { type: 'TransactionRecorded', id, body, assessments, ...(chance.oneIn(2) ? { flow: 'f' } : {}) }
  const needsNobody = requiredKeys(body).length === 0
  if (!isShared && !needsNobody) return recorded
  const signing = mayForge && chance.oneIn(8) ? parties.slice(1) : parties
  return { ...recorded, signatures: signing.map((party) => signAs(scene, party, id)) }
}
