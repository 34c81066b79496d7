/**
 * The token in the Authorization header of a request.
 */
import { CarillonError } from '../errors/CarillonError.js'

export const bearerIn = ({
  headers: { authorization = '' },
}: {
  readonly headers: { readonly authorization?: string | undefined }
}): string | undefined => /^Bearer ([\w.-]{1,200})$/i.exec(authorization)?.[1]

export const noToken = (): CarillonError =>
  new CarillonError(
    'token-refused',
    'The request carries no token. Send "Authorization: Bearer <token>"; make one with "carillon token new", or open a link from "carillon token link".',
  )
