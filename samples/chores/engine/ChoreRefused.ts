/**
 * A call that cannot be done as it was asked; nothing was changed by it.
 */
import { CarillonError } from 'carillon'

export class ChoreRefused extends CarillonError {
  constructor(message: string) {
    super('chores/refused', message)
  }
}
