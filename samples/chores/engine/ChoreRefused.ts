/**
 * A call that cannot be done as it was asked; nothing was changed by it.
 */
export class ChoreRefused extends Error {
  override readonly name = 'ChoreRefused'
}
