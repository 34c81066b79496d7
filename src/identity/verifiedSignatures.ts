/**
 * Signatures that this process has verified already. Whether a signature holds is a fact about three texts, so what was
 * found once need not be found again: for transactions of one batch, or for a batch that a thread has looked at before.
 */
import { identityLimits } from './limits.js'
import type { PublicKey } from './PublicKey.js'

/** A signature and what it is said to sign. */
export type Claimed = { readonly by: PublicKey; readonly text: string; readonly signature: string }

const keyOf = ({ by, text, signature }: Claimed): string => `${by}\n${signature}\n${text}`

// Two generations: the older one is dropped when the newer is full, so what is in use stays.
let recent = new Set<string>()
let older = new Set<string>()

/** Only what was verified may be remembered. */
export const rememberVerified = (claimed: Claimed): void => {
  if (recent.size >= identityLimits.signaturesRemembered) {
    older = recent
    recent = new Set()
  }
  recent.add(keyOf(claimed))
}

export const isVerified = (claimed: Claimed): boolean => {
  const key = keyOf(claimed)
  return recent.has(key) || older.has(key)
}
