/**
 * Server-sent events out of the bytes of an answer: tells the data of each message that has come whole.
 */
export const readEvents = async (bytes: ReadableStream<Uint8Array>, tell: (data: string) => void): Promise<void> => {
  const decoder = new TextDecoder()
  const reader = bytes.getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    rest += decoder.decode(value, { stream: true })
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, end).split('\n')
      rest = rest.slice(end + 2)
      const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice('data: '.length))
      if (data.length > 0) tell(data.join('\n'))
    }
  }
}
