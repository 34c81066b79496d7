/**
 * The member that floods another one's node in `flood`: over three connections it opens sessions and sends messages in them,
 * as fast as they are taken, and reads nothing of what is answered but to throw it away.
 *
 * Arguments: its folder in the network, host and port of the other node.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { connect, type TLSSocket } from 'node:tls'
import { canonicalText } from 'carillon'
import { readKeyFile } from 'carillon/keys'

const [, , folder = '', host = '', port = '0'] = argv
const key = readKeyFile(join(folder, 'node.key'))
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const frameOf = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'utf8')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

const largePayload = 'x'.repeat(200_000)
const sessionsPerFrame = 200

let opened = 0
/** A frame of new sessions, then frames of large messages in some of them, and of small ones in all. */
const frames = function* (): Generator<Buffer, never> {
  for (;;) {
    const sessions = Array.from({ length: sessionsPerFrame }, () => {
      const nonce = hashOf(`${process.pid} ${opened++}`)
      return { nonce, session: hashOf(`session\n${key.publicKey}\n${nonce}`).slice(0, 32) }
    })
    const flow = ['bench/Open', 'carillon/Broadcast', 'nobody/Answers'][opened % 3] ?? ''
    const end = { kind: 'message', from: 'initiator' }
    yield frameOf(
      canonicalText(
        sessions.map(({ nonce, session }) => ({
          ...{ ...end, session, seq: 0 },
          message: { kind: 'open', flow, version: 1, nonce },
        })),
      ),
    )
    for (const { session } of sessions.slice(0, 20))
      for (let seq = 2; seq < 30; seq += 4)
        yield frameOf(
          canonicalText(
            [0, 1, 2, 3].map((beyond) => ({
              ...{ ...end, session, seq: seq + beyond },
              message: { kind: 'data', payload: largePayload },
            })),
          ),
        )
    yield frameOf(
      canonicalText(
        sessions.map(({ session }) => ({ ...end, session, seq: 1, message: { kind: 'data', payload: 'nonsense' } })),
      ),
    )
  }
}

const all = frames()

const pour = (socket: TLSSocket): void => {
  while (!socket.destroyed) if (!socket.write(all.next().value)) return
}

const flood = (): void => {
  const socket = connect({
    host,
    port: Number(port),
    key: key.exportPrivate(),
    cert: readFileSync(join(folder, 'certificate.pem')),
    ca: readFileSync(join(folder, 'root.pem')),
    checkServerIdentity: () => undefined,
  })
  socket.once('secureConnect', () => {
    socket.write(frameOf('{"carillon":1}'))
    pour(socket)
  })
  socket.on('drain', () => pour(socket))
  socket.resume()
  socket.on('error', () => undefined)
  socket.once('close', () => setTimeout(flood, 100))
}
for (let connection = 0; connection < 3; connection++) flood()
