/**
 * Server-sent events out of the bytes of an answer, one at a time. A message that was cut off at the end is not given,
 * so that whoever resumes asks for it again.
 */
import { CarillonError } from '../errors/CarillonError.js'

/** One message of a live stream. */
export type ServerSentEvent = { readonly id?: string; readonly event: string; readonly data: string }

/** No message of ours is near this; a server that sends more without an end is not ours. */
const longest = 16 * 1024 * 1024

const parse = (message: string): ServerSentEvent | undefined => {
  let id: string | undefined
  let event = 'message'
  const data: string[] = []
  for (const line of message.split('\n')) {
    const [, field, value = ''] = /^([a-z]+): ?(.*)$/s.exec(line) ?? []
    if (field === 'id') id = value
    else if (field === 'event') event = value
    else if (field === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { event, data: data.join('\n'), ...(id === undefined ? {} : { id }) }
}

export async function* serverSentEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true })
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const message = parse(rest.slice(0, end))
      rest = rest.slice(end + 2)
      if (message !== undefined) yield message
    }
    if (rest.length > longest)
      throw new CarillonError('request-invalid', 'The stream has sent a message without an end. Is it a Carillon node?')
  }
}
