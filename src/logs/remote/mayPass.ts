/**
 * Whether an error of a log on a server may pass by itself, so that trying again makes sense. A password may be changed
 * while a log is in use; the new one comes with the next start, or the old one is accepted again.
 */
import { CarillonError } from '../../errors/CarillonError.js'

export const mayPass = (error: unknown): boolean =>
  error instanceof CarillonError && (error.consequence === 'retry' || error.code === 'log-access-denied')
