/**
 * Signatures with the first digits of the keys that made them. A signature counts for a key it fits and verifies for;
 * what fits a needed key and verifies for none of them is wrong.
 */
import * as t from 'io-ts'
import { IntegerC, type PublicKey } from 'carillon'
import { verifySignature, type KeyPair } from 'carillon/keys'
import { record } from '../../shared/record.js'

const prefixPattern = /^[0-9a-f]{0,64}$/

export const SigPairC = record(
  'SigPair',
  {
    /** The first hex digits of the public key; as few as tell the signers apart, or all 64. */
    pubKeyPrefix: t.refinement(t.string, (text) => prefixPattern.test(text), 'PubKeyPrefix'),
    /** Base64. */
    ed25519: t.string,
  },
  {
    /** On a schedule, signed along: when it was made. Without it, it is older than whatever has ended. */
    from: IntegerC,
    /** On a schedule, signed along: the last second in which the signature counts when it is submitted. */
    until: IntegerC,
  },
)
export type SigPair = t.TypeOf<typeof SigPairC>
/** For when a signature on a schedule is good. */
export type Span = Pick<SigPair, 'from' | 'until'>

export const SignatureMapC = t.readonlyArray(SigPairC, 'SignatureMap')
export type SignatureMap = t.TypeOf<typeof SignatureMapC>

const digitsOf = (key: PublicKey): string => key.slice('ed25519:'.length)

/** Signs a text; `digits` are how many of the key's digits are told. */
export const sigPair = (key: KeyPair, text: string, digits = 64): SigPair => ({
  pubKeyPrefix: digitsOf(key.publicKey).slice(0, digits),
  ed25519: key.sign(text),
})

export type Witnessed = {
  /** The keys, among those asked for, that have signed. */
  readonly signed: ReadonlySet<PublicKey>
  /** Signatures that fit a key asked for, and are wrong. */
  readonly wrong: number
  /** Signatures that fit no key asked for. */
  readonly unneeded: number
}

/** The contract looks at every signature that a flow has just looked at, so what was found out is kept for a moment. */
const checksKept = 4_096
const checks = new Map<string, { readonly text: string; readonly isRight: boolean }>()

const verifyOnce = (key: PublicKey, text: string, signature: string): boolean => {
  const known = checks.get(key + signature)
  if (known?.text === text) return known.isRight
  const isRight = verifySignature(key, text, signature)
  if (checks.size >= checksKept) checks.clear()
  checks.set(key + signature, { text, isRight })
  return isRight
}

/** How often signatures are tried in all: those that tell little of their keys would fit each of very many. */
const mostTries = 2_000

/** The signatures that fit a key best: those that tell the most of its digits. */
const bestFor = (key: PublicKey, pairs: SignatureMap): SignatureMap => {
  const digits = digitsOf(key)
  const fitting = pairs.filter(({ pubKeyPrefix }) => digits.startsWith(pubKeyPrefix))
  const longest = Math.max(...fitting.map(({ pubKeyPrefix }) => pubKeyPrefix.length))
  return fitting.filter(({ pubKeyPrefix }) => pubKeyPrefix.length === longest)
}

/** Which of the keys asked for have signed the text; each signature may be on a text of its own. */
export const witness = (
  pairs: SignatureMap,
  keys: readonly PublicKey[],
  text: string | ((pair: SigPair) => string),
): Witnessed => {
  const signed = new Set<PublicKey>()
  const right = new Set<SigPair>()
  const tried = new Set<SigPair>()
  // Most signatures tell the whole key, so most keys need not be compared with all signatures.
  const byPrefix = new Map<string, SigPair[]>()
  for (const pair of pairs) byPrefix.set(pair.pubKeyPrefix, [...(byPrefix.get(pair.pubKeyPrefix) ?? []), pair])
  const short = pairs.filter(({ pubKeyPrefix }) => pubKeyPrefix.length < 64)
  let tries = 0
  for (const key of keys) {
    if (tries >= mostTries) break
    for (const pair of byPrefix.get(digitsOf(key)) ?? bestFor(key, short)) {
      tries += 1
      tried.add(pair)
      if (!verifyOnce(key, typeof text === 'string' ? text : text(pair), pair.ed25519)) continue
      signed.add(key)
      right.add(pair)
    }
  }
  return { signed, wrong: tried.size - right.size, unneeded: pairs.length - tried.size }
}
