/**
 * The one way a recurrence is refused: what is wrong with which rule, and what to write instead.
 */
import { CarillonError } from '../../errors/CarillonError.js'

export const refuse = (rule: string, why: string): never => {
  throw new CarillonError('recurrence-invalid', `${rule}: ${why}`, { rule })
}
