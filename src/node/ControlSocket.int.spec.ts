import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp } from '../app/App.js'
import { defineFlow, type FlowBody } from '../app/FlowDefinition.js'
import { limits } from '../limits.js'
import { ControlClient } from './ControlClient.js'
import { controlPath } from './controlAddress.js'
import { OperatorNameC } from '../operator/controlProtocol.js'
import { openControlSocket, type ControlSocket } from './ControlSocket.js'
import type { Node } from './Node.js'
import { startNode } from './startNode.js'

const Echo = defineFlow({
  name: 'control/Echo',
  input: t.strict({ text: t.string }),
  *run(_, { text }): FlowBody<string> {
    return text
  },
})
const Sleep = defineFlow({
  name: 'control/Sleep',
  input: t.strict({}),
  *run(io): FlowBody<void> {
    yield* io.sleep({ days: 1 })
  },
})
const app = defineApp({ name: 'control', states: [], flows: [Echo, Sleep] })

const by = 'cli:tester'
if (!OperatorNameC.is(by)) throw new Error('not an operator')

/** Sends text as it stands and gives the lines that come back, once so many have or the node hangs up. */
const say = (path: string, text: string, lines: number): Promise<readonly Record<string, unknown>[]> =>
  new Promise((resolve) => {
    const socket = connect(path)
    let heard = ''
    const done = () => {
      socket.destroy()
      resolve(
        heard
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      )
    }
    socket.on('data', (chunk) => {
      heard += chunk.toString('utf8')
      if (heard.split('\n').length > lines) done()
    })
    socket.on('error', () => undefined)
    socket.on('close', done)
    socket.write(text)
  })

describe('the control socket', () => {
  let root: string
  let folder: string
  let node: Node
  let socket: ControlSocket

  const open = async (at: string) => {
    folder = at
    node = await startNode({ app, store: folder })
    socket = await openControlSocket(node, folder)
  }
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'carillon-control-'))))
  afterEach(async () => {
    await socket.close()
    await node.stop()
    rmSync(root, { recursive: true, force: true })
  })

  const stillWorks = async () => {
    const client = await ControlClient.connect(folder)
    const flow = await client!.start({ flow: 'control/Echo', input: { text: 'still here' }, by })
    expect(await client!.result(flow)).to.equal('still here')
    client!.close()
  }

  it('answers what it does not understand with a typed error, and goes on', async () => {
    await open(join(root, 'data'))
    const odd = [
      '{',
      '[]',
      '{"id":1}',
      '{"id":2,"verb":"shutdown","args":{}}',
      '{"id":3,"verb":"start","args":{"flow":7}}',
      '{"id":4,"verb":"operate","args":{"on":"node","action":"start","by":"cli:a\\nb"}}',
      '\u0000\ufffd',
    ]
    const answers = await say(socket.path, `${odd.join('\n')}\n\n`, odd.length)
    expect(answers).to.have.length(odd.length)
    for (const answer of answers) expect(answer['error']).to.have.property('code', 'request-invalid')
    expect(answers.map(({ id }) => id)).to.have.members([null, null, null, null, 2, 3, 4])
    expect(node.isDraining).to.be.false
    await stillWorks()
  })

  it('refuses a line without end before it fills the memory, and goes on', async () => {
    await open(join(root, 'data'))
    const answers = await say(socket.path, 'x'.repeat(limits.controlLineBytes + 1), 1)
    expect(answers[0]).to.have.nested.property('error.code', 'request-invalid')
    await stillWorks()
  })

  it('hangs up on a client that has too many requests under way', async () => {
    await open(join(root, 'data'))
    const { id } = await node.start(Sleep, {})
    const line = (number: number) => `${JSON.stringify({ id: number, verb: 'result', args: { flow: id } })}\n`
    const flood = Array.from({ length: limits.controlRequests + 50 }, (_, number) => line(number)).join('')
    const answers = await say(socket.path, flood, 1)
    expect(answers[0]).to.deep.include({ id: null })
    expect(answers[0]).to.have.nested.property('error.code', 'node-busy')
    await stillWorks()
  })

  it('can be opened by its owner alone, also in a folder others may enter', async () => {
    const shared = join(root, 'shared')
    mkdirSync(shared, { mode: 0o755 })
    await open(shared)
    expect(statSync(socket.path).mode & 0o777).to.equal(0o600)
  })

  it('tells a client that waits when the node goes away', async () => {
    await open(join(root, 'data'))
    const client = await ControlClient.connect(folder)
    const flow = await client!.start({ flow: 'control/Sleep', input: {}, by })
    const waiting = client!.result(flow).then(
      () => 'ended',
      (error: unknown) => error,
    )
    await socket.close()
    expect(await waiting).to.have.property('code', 'node-stopped')
    expect(await ControlClient.connect(folder)).to.equal(undefined)
  })

  it('takes the place of what a killed node left there', async () => {
    const data = join(root, 'data')
    mkdirSync(data, { mode: 0o700 })
    writeFileSync(join(data, 'control.sock'), '')
    expect(await ControlClient.connect(data)).to.equal(undefined)
    await open(data)
    await stillWorks()
  })

  it('finds another place when the path of the store is too long for a socket', async () => {
    const deep = join(root, 'd'.repeat(60), 'e'.repeat(60))
    await open(deep)
    expect(Buffer.byteLength(socket.path)).to.be.at.most(103)
    expect(controlPath(deep)).to.equal(socket.path)
    expect(statSync(dirname(socket.path)).mode & 0o777).to.equal(0o700)
    await stillWorks()
    // As after a kill: the next node removes what the one before left.
    const left = socket.path
    expect(readFileSync(join(deep, 'control.path'), 'utf8').trim()).to.equal(left)
    const next = await openControlSocket(node, deep)
    expect(existsSync(dirname(left))).to.be.false
    await next.close()
    expect(existsSync(join(deep, 'control.path'))).to.be.false
    expect(existsSync(dirname(next.path))).to.be.false
  })
})
