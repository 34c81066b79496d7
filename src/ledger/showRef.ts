/**
 * A state ref as people write it. It stands alone, so that a page in a browser can write one.
 */
import type { StateRef } from './StateRef.js'

/** A state ref as people write it: `<transaction id>:<index>`. */
export const showRef = (ref: StateRef): string => `${ref.transaction}:${ref.index}`
