/**
 * Randomness that is the same for the same seed: what makes a run repeatable.
 */
import type { Random } from '../identity/Random.js'
import { sha256 } from '../encoding/hash.js'

/** Randomness that is the same for the same seed. */
export const seededRandom = (seed: string): Random => {
  let count = 0
  return {
    hex: (bytes) => {
      let text = ''
      while (text.length < bytes * 2) text += sha256(`${seed}\n${(count += 1)}`)
      return text.slice(0, bytes * 2)
    },
  }
}
