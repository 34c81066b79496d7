/**
 * The error for a call on a log that was closed.
 */
import { CarillonError } from '../../errors/CarillonError.js'

export const logClosed = (where: string): CarillonError =>
  new CarillonError('node-stopped', `The log at ${where} was closed. Open it again to use it.`, { where })
