/**
 * The door to the desk of a running process: a socket in the store folder that only its owner can open. One request,
 * one answer, and the connection is closed.
 */
import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import { DeskAnswerC, DeskRequestC, longestLine, type DeskAnswer, type DeskRequest } from './requests.js'

const pathIn = (folder: string): string => join(folder, 'chores.sock')

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The first line that comes in. */
const readLine = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
      else if (text.length > longestLine) reject(new Error('The line is too long.'))
    })
    socket.on('end', () => reject(new Error('The other side hung up.')))
    socket.on('error', reject)
  })

type Answering = (request: DeskRequest) => Promise<readonly string[]>

const answerLine = async (line: string, answer: Answering): Promise<DeskAnswer> => {
  try {
    const request = DeskRequestC.decode(JSON.parse(line))
    return isLeft(request)
      ? { refused: 'The request cannot be read; is the command line of the same version?' }
      : { lines: await answer(request.right) }
  } catch (error) {
    return { refused: messageOf(error) }
  }
}

/** Opens the door. The process holds the store, so a socket that lies there already is nobody's. */
export const openDeskDoor = async (folder: string, answer: Answering): Promise<() => Promise<void>> => {
  const path = pathIn(folder)
  rmSync(path, { force: true })
  const server = createServer((socket) => {
    readLine(socket)
      .then((line) => answerLine(line, answer))
      .then((answered) => socket.end(`${JSON.stringify(answered)}\n`))
      .catch(() => socket.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    const before = process.umask(0o177)
    server.listen(path, resolve)
    process.umask(before)
  })
  chmodSync(path, 0o600)
  return () => new Promise((resolve) => server.close(() => resolve()))
}

/** Asks the process that holds the store; rejects with the reason when it refuses or there is none. */
export const askDesk = async (folder: string, request: DeskRequest): Promise<readonly string[]> => {
  const socket = connect(pathIn(folder))
  try {
    const line = readLine(socket)
    socket.write(`${JSON.stringify(request)}\n`)
    const answer = DeskAnswerC.decode(JSON.parse(await line))
    if (isLeft(answer)) throw new Error('The answer cannot be read; is the process of the same version?')
    if ('refused' in answer.right) throw new Error(answer.right.refused)
    return answer.right.lines
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ECONNREFUSED')
      throw new Error(`No chores run on ${folder}. Start them with: npm run chores -- run`, { cause: error })
    throw error
  } finally {
    socket.destroy()
  }
}
