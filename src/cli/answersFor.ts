/**
 * What a node that runs an app answers about the verbs of that app, on its control socket.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../encoding/decode.js'
import { CarillonError } from '../errors/CarillonError.js'
import { performVerb, VerbRequestC, type VerbGroup } from '../node/AppVerb.js'
import type { ExtraVerbs } from '../node/ControlSocket.js'
import type { Node } from '../node/Node.js'

export const answersFor = (node: Node, groups: readonly VerbGroup[]): ExtraVerbs => ({
  verbs: () => groups.map(({ description }) => description),
  app: (args) => {
    const request = decodeWith(VerbRequestC, args)
    if (isLeft(request))
      throw new CarillonError('request-invalid', `The arguments do not fit: ${request.left.join('; ')}.`)
    return performVerb(node, groups, request.right)
  },
})
