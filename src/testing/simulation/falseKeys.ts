/**
 * Keys that are none: points of small order, for which anyone can write down a signature that holds for any text, and a
 * composite key in which one signature would count twice.
 */
import type { CompositeKey, Key } from '../../identity/Key.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { TransactionSignature } from '../../ledger/signatures.js'

/** The neutral point, and the same point written with a coordinate beyond the field. */
export const falsePoints = [`01${'0'.repeat(62)}`, `ee${'f'.repeat(60)}7f`].map((hex) => `ed25519:${hex}` as PublicKey)

/** Holds for a false point, whatever the text is. */
export const falseSignature = (by: PublicKey): TransactionSignature => ({
  by,
  signature: Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]).toString('base64'),
})

/** Two of two, and both are the same. */
export const twice = (key: PublicKey): CompositeKey => ({
  threshold: 2,
  children: [
    { key, weight: 1 },
    { key, weight: 1 },
  ],
})

const field = 2n ** 255n - 19n
const orderEight = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n
const smallOrder = new Set([0n, 1n, field - 1n, orderEight, field - orderEight])

const leavesOf = (key: Key): readonly PublicKey[] =>
  typeof key === 'string' ? [key] : key.children.flatMap((child) => leavesOf(child.key))

/** What is wrong with a key; undefined for one that somebody can hold. Decided by arithmetic, and not as nodes decide it. */
export const faultOfKey = (key: Key): string | undefined => {
  const leaves = leavesOf(key)
  if (new Set(leaves).size < leaves.length) return 'it counts a signature twice'
  const isFalse = leaves.some((leaf) => {
    const bytes = Buffer.from(leaf.slice('ed25519:'.length), 'hex').reverse()
    const y = BigInt(`0x${bytes.toString('hex')}`) & (2n ** 255n - 1n)
    return y >= field || smallOrder.has(y)
  })
  return isFalse ? 'a signature for it can be written down by anyone' : undefined
}
