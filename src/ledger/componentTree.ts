/**
 * The Merkle tree that a transaction's id comes from. Every component is a salted leaf, so a party can be shown
 * some components and still check that they belong to the whole. The id binds the top of the tree to a header with
 * the number of components of each kind, so that it can also be shown that nothing of a kind was held back.
 */
import { canonicalText, type Encoded } from '../encoding/canonical.js'
import { sha256, sha512, type Hash } from '../encoding/hash.js'
import { leafHash } from '../encoding/merkle.js'
import { treeTop } from '../encoding/wideTree.js'
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
  readonly newNotary?: Party | Encoded | undefined
  readonly timeWindow: TimeWindow | Encoded | undefined
  readonly salt: string
}

// Written by hand: its members are few, and in canonical order.
export const headerOf = ({
  inputs,
  references,
  outputs,
  commands,
  notary,
  newNotary,
  timeWindow,
}: Components): string =>
  `{"commands":${commands.length},"format":1,"inputs":${inputs.length},${newNotary === undefined ? '' : `"newNotary":${partyText(newNotary)},`}"notary":${partyText(notary)},"outputs":${outputs.length},"references":${references.length}${timeWindow === undefined ? '' : `,"timeWindow":${canonicalText(timeWindow)}`}}`

const nonceLength = 32
const noncesPerHash = 4

const noncesOfBlock = (salt: string, block: number): string => sha512(`nonce\n${salt}\n${block}`)

/** One hash yields the nonces of four neighbouring leaves: 128 bits each hide a component from guessing. */
const noncesOf = (salt: string, count: number): string => {
  let nonces = ''
  for (let block = 0; block * noncesPerHash < count; block++) nonces += noncesOfBlock(salt, block)
  return nonces
}

const nonceAt = (nonces: string, place: number): string => nonces.slice(place * nonceLength, (place + 1) * nonceLength)

/** The nonce of one leaf, to be shown with it. */
export const nonceOf = (salt: string, place: number): string =>
  nonceAt(noncesOfBlock(salt, Math.floor(place / noncesPerHash)), place % noncesPerHash)

/** The text of each leaf in order: inputs, references, outputs, commands, signers. */
export const componentTexts = ({ inputs, references, outputs, commands, signers }: Components): readonly string[] => {
  const texts: string[] = []
  for (const { text } of inputs) texts.push(text)
  for (const { text } of references) texts.push(text)
  for (const { text } of outputs) texts.push(text)
  for (const { text } of commands) texts.push(text)
  texts.push(signers.text)
  return texts
}

/** The hash of one component, with the nonce that hides it. */
export const componentHash = (nonce: string, place: number, text: string): Hash =>
  leafHash(`${nonce}\n${place}\n${text}`)

export const leavesOf = (components: Components): readonly Hash[] => {
  const texts = componentTexts(components)
  const nonces = noncesOf(components.salt, texts.length)
  return texts.map((text, place) => componentHash(nonceAt(nonces, place), place, text))
}

/** The id that a header and the top of the tree come to. */
export const idFrom = (header: string, top: string): TransactionId => sha256(`transaction\n${header}\n${top}`)

export const transactionIdOf = (components: Components): TransactionId =>
  idFrom(headerOf(components), treeTop(leavesOf(components)))
