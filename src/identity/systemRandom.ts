/**
 * The operating system's randomness, drawn in larger portions: asking for sixteen bytes at a time costs more
 * than hashing a transaction.
 */
import { randomBytes } from 'node:crypto'
import type { Random } from './Random.js'

const portion = 4_096

let pool = ''

export const systemRandom: Random = {
  hex: (bytes) => {
    const digits = bytes * 2
    if (pool.length < digits) pool = randomBytes(Math.max(portion, bytes)).toString('hex')
    const drawn = pool.slice(0, digits)
    pool = pool.slice(digits)
    return drawn
  },
}
