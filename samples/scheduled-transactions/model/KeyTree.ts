/**
 * Keys as the seed writes them: one Ed25519 key, a list of which all must sign, a threshold of which some must, nested.
 * A tree that could never be satisfied, or that is satisfied by nobody, is no key.
 */
import * as t from 'io-ts'
import { IntegerC, PublicKeyC, type PublicKey } from 'carillon'

export type KeyTree =
  | PublicKey
  | { readonly keyList: readonly KeyTree[] }
  | { readonly thresholdKey: { readonly threshold: number; readonly keys: readonly KeyTree[] } }

/** Lists within lists; deeper trees are not read. */
export const deepestKey = 15

const childrenOf = (tree: unknown): readonly unknown[] => {
  if (typeof tree !== 'object' || tree === null) return []
  const list: unknown = 'keyList' in tree ? tree.keyList : 'thresholdKey' in tree ? tree.thresholdKey : undefined
  if (Array.isArray(list)) return list
  const keys: unknown = typeof list === 'object' && list !== null && 'keys' in list ? list.keys : undefined
  return Array.isArray(keys) ? keys : []
}

/** A loop and not a recursion: a request may be nested deeper than the stack is. */
const isTooDeep = (tree: unknown): boolean => {
  let level: readonly unknown[] = [tree]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepestKey) return true
    level = level.flatMap(childrenOf)
  }
  return false
}

const TreeC: t.Type<KeyTree, unknown> = t.recursion<KeyTree, unknown>('KeyTree', () =>
  t.union([
    PublicKeyC,
    t.readonly(t.strict({ keyList: t.readonlyArray(TreeC) })),
    t.readonly(t.strict({ thresholdKey: t.readonly(t.strict({ threshold: IntegerC, keys: t.readonlyArray(TreeC) })) })),
  ]),
)

export const KeyTreeC: t.Type<KeyTree, unknown> = new t.Type(
  'KeyTree',
  (value): value is KeyTree => !isTooDeep(value) && TreeC.is(value),
  (value, context) =>
    isTooDeep(value)
      ? t.failure(value, context, `a key is nested more than ${deepestKey} deep`)
      : TreeC.validate(value, context),
  TreeC.encode,
)

export const keyList = (...keys: readonly KeyTree[]): KeyTree => ({ keyList: keys })
export const thresholdKey = (threshold: number, ...keys: readonly KeyTree[]): KeyTree => ({
  thresholdKey: { threshold, keys },
})

/** How many of which keys must sign; undefined for a single key. */
const partsOf = (tree: KeyTree): { readonly threshold: number; readonly keys: readonly KeyTree[] } | undefined => {
  if (typeof tree === 'string') return undefined
  return 'keyList' in tree ? { threshold: tree.keyList.length, keys: tree.keyList } : tree.thresholdKey
}

/** False for a tree that could never be satisfied or needs nobody. */
export const isKey = (tree: KeyTree): boolean => {
  const parts = partsOf(tree)
  if (parts === undefined) return true
  return parts.threshold >= 1 && parts.threshold <= parts.keys.length && parts.keys.every(isKey)
}

/** A key that stands in a list twice counts twice. */
const isSatisfied = (tree: KeyTree, signers: ReadonlySet<PublicKey>): boolean => {
  const parts = partsOf(tree)
  if (parts === undefined) return typeof tree === 'string' && signers.has(tree)
  return parts.keys.filter((part) => isSatisfied(part, signers)).length >= parts.threshold
}

/** Whether the primitive keys that have signed are enough. */
export const isSignedBy = (tree: KeyTree, signers: ReadonlySet<PublicKey>): boolean =>
  isKey(tree) && isSatisfied(tree, signers)

const leavesOf = (tree: KeyTree): readonly PublicKey[] =>
  typeof tree === 'string' ? [tree] : (partsOf(tree)?.keys.flatMap(leavesOf) ?? [])

/** Every primitive key of some trees, each once. */
export const primitivesOf = (trees: readonly KeyTree[]): readonly PublicKey[] => [
  ...new Set(trees.filter(isKey).flatMap(leavesOf)),
]
