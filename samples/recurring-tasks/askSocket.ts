/**
 * Asks a running node over the control socket of its store, which only the owner of the store can open.
 */
import { request } from 'node:http'
import { resolve as absolute } from 'node:path'
import { text } from 'node:stream/consumers'
import * as t from 'io-ts'
import { CarillonError, JsonC } from 'carillon'
import type { VerbAnswer } from 'carillon/http'

const AnswerC = t.strict({ lines: t.readonlyArray(t.string), data: JsonC })
const ProblemC = t.strict({ code: t.string, detail: t.string })

const send = (socketPath: string, by: string, path: string, body: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'carillon-operator': encodeURIComponent(by) }
    request({ socketPath: absolute(socketPath), method: 'POST', path: `/api/v1${path}`, headers }, (answer) => {
      text(answer)
        .then((given) => resolve(JSON.parse(given)))
        .catch(reject)
    })
      .on('error', reject)
      .end(JSON.stringify(body))
  })

export const askSocket = async (socket: string, by: string, path: string, body: object): Promise<VerbAnswer> => {
  const answer = await send(socket, by, path, body)
  if (AnswerC.is(answer)) return answer
  if (ProblemC.is(answer)) throw new Error(`${answer.code}: ${answer.detail}`)
  throw new CarillonError('request-invalid', 'The node gave an answer that does not fit.')
}
