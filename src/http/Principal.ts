/**
 * Who asks, from where, and what they may do: the holder of a token, told by its name.
 */
import type { SignalTarget } from '../flow/decideSignal.js'
import type { OperatorName } from '../operator/OperatorRequest.js'
import { isGranted, type NeededPermission } from '../operator/Permission.js'
import { CarillonError } from '../errors/CarillonError.js'

export type Principal = {
  /** The name of the token, as it will stand in events. */
  readonly name: string
  readonly permissions: readonly string[]
  /** The address the request came from. */
  readonly from: string
  readonly expiresAtMs?: number
  /** Who asks, in the words of a client that is trusted to say so: one that may open the control socket. */
  readonly operator?: OperatorName
  /** The id of the token, where it is one that was issued: what can be revoked. */
  readonly token?: string
  /** The session, where it came by one: what can be ended. */
  readonly session?: string
}

/** Where a request comes from; a client of the control socket has no address. */
export const callerOf = ({ ip }: { readonly ip?: string }): string => ip ?? 'socket'

/** As a start of a flow is to record it: who asks, and with which token. */
export const startedAs = (principal: Principal): { readonly by: string; readonly caller?: string } => ({
  by: operatorOf(principal),
  ...(principal.token === undefined ? {} : { caller: principal.token }),
})

/** As the log is to remember it: who, and from where. */
export const operatorOf = ({ name, from, operator }: Principal): string => operator ?? `http:${name}@${from}`

/** The flow that a signal is for: a client id without a caller is one of whoever asks. */
export const targetOf = (to: SignalTarget, { token }: Principal): SignalTarget =>
  typeof to === 'string' || to.caller !== undefined || token === undefined ? to : { ...to, caller: token }

export const mayDo = ({ permissions }: Principal, needed: NeededPermission): boolean => isGranted(permissions, needed)

/** Refuses what the principal may not do. */
export const assertMay = (principal: Principal, permission: NeededPermission): void => {
  if (mayDo(principal, permission)) return
  const needed = [permission].flat().join(' or ')
  throw new CarillonError(
    'permission-missing',
    `This needs the permission ${needed}; the token "${principal.name}" has: ${principal.permissions.join(', ')}.`,
    { needed },
  )
}
