/**
 * The Merkle tree whose root is a transaction's id. Every component is a salted leaf, so a party can be shown
 * some components and still check that they belong to the whole. The first leaf commits to the number of
 * components of each kind, so that it can also be shown that nothing of a kind was held back.
 */
import { canonicalText, type Encoded } from '../encoding/canonical.js'
import { sha256, type Hash } from '../encoding/hash.js'
import { leafHash, merkleRoot } from '../encoding/merkle.js'
import { partyText, type Party } from '../identity/Party.js'
import type { TimeWindow } from './TimeWindow.js'
import type { TransactionId } from './TransactionId.js'

/** A transaction's components as canonical text, in the order of their leaves. */
export type Components = {
  readonly inputs: readonly Encoded[]
  readonly references: readonly Encoded[]
  readonly outputs: readonly Encoded[]
  readonly commands: readonly Encoded[]
  readonly signers: Encoded
  readonly notary: Party | Encoded
  /** Where the transaction changes the notary: the one its outputs stand under. */
  readonly newNotary?: Party | undefined
  readonly timeWindow: TimeWindow | Encoded | undefined
  readonly salt: string
}

// Written by hand: its members are few, and in canonical order.
const headerOf = ({ inputs, references, outputs, commands, notary, newNotary, timeWindow }: Components): string =>
  `{"commands":${commands.length},"format":1,"inputs":${inputs.length},${newNotary === undefined ? '' : `"newNotary":${partyText(newNotary)},`}"notary":${partyText(notary)},"outputs":${outputs.length},"references":${references.length}${timeWindow === undefined ? '' : `,"timeWindow":${canonicalText(timeWindow)}`}}`

const nonceLength = 32

/** One hash yields the nonces of two neighbouring leaves: 128 bits hide a component from guessing. */
const noncesOf = (salt: string, count: number): string => {
  let nonces = ''
  for (let block = 0; block * 2 < count; block++) nonces += sha256(`nonce\n${salt}\n${block}`)
  return nonces
}

/** The nonce of one leaf, to be shown with it. */
export const nonceOf = (salt: string, place: number): string =>
  sha256(`nonce\n${salt}\n${Math.floor(place / 2)}`).slice((place % 2) * nonceLength, ((place % 2) + 1) * nonceLength)

/** The text of each leaf in order: header, inputs, references, outputs, commands, signers. */
export const componentTexts = (components: Components): readonly string[] => [
  headerOf(components),
  ...components.inputs.map(({ text }) => text),
  ...components.references.map(({ text }) => text),
  ...components.outputs.map(({ text }) => text),
  ...components.commands.map(({ text }) => text),
  components.signers.text,
]

export const leavesOf = (components: Components): readonly Hash[] => {
  const texts = componentTexts(components)
  const nonces = noncesOf(components.salt, texts.length)
  return texts.map((text, place) =>
    leafHash(`${nonces.slice(place * nonceLength, (place + 1) * nonceLength)}\n${place}\n${text}`),
  )
}

export const transactionIdOf = (components: Components): TransactionId => merkleRoot(leavesOf(components))
