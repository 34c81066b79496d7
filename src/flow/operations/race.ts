/**
 * Begins parts of a flow, and goes on when the first of them has returned and the others have cleaned up.
 */
import { defineParts } from '../Parts.js'

export const race = defineParts('race')
