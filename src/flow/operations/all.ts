/**
 * Begins parts of a flow, and goes on when all of them have returned.
 */
import { defineParts } from '../Parts.js'

export const all = defineParts('all')
