/**
 * What is wrong with a memo: more than 100 bytes, or a zero byte among them.
 */
import type { ResponseCode } from './ResponseCode.js'
import { memoBytes } from './Settings.js'

export const memoProblem = (memo: string): ResponseCode | undefined => {
  if (Buffer.byteLength(memo) > memoBytes) return 'MEMO_TOO_LONG'
  return memo.includes('\u0000') ? 'INVALID_ZERO_BYTE_IN_STRING' : undefined
}
