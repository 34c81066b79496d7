import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readKeyFile } from '../../src/keys/KeyFile.js'
import { carillon, documents, fixtureApp, inProcess, RunningNode, scratchFolder } from '../cli/spawnCarillon.js'

const passphrase = 'correct horse battery staple'
const password = 'hunter2-of-the-database'

type Operation = { readonly responses: object }

describe('secrets', () => {
  const { folder, remove } = scratchFolder()
  const network = join(folder, 'local')
  const store = join(network, 'Alice')
  const env = { CARILLON_KEY_PASSPHRASE: passphrase }
  after(remove)

  /** Everything a private key could be recognised by. */
  const tracesOf = (pem: string): readonly string[] => {
    const body = pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')
    const seed = Buffer.from(body, 'base64').subarray(-32)
    return [body, seed.toString('hex'), seed.toString('base64'), seed.toString('base64url')]
  }

  it('stand in no answer and no line of a log, through the whole life of a node that tells everything', async () => {
    const made = await carillon(['network', 'new', network, '--parties', 'Alice'], { env })
    expect(made.code, made.stderr).to.equal(0)
    const node = RunningNode.begin(
      [
        'run',
        fixtureApp,
        '--network',
        store,
        '--http',
        '127.0.0.1:0',
        '--log-format',
        'json',
        '--log-level',
        'debug',
        '--json',
      ],
      { env },
    )
    await node.until((stdout) => stdout.includes('"event":"started"'))
    const url = String(documents(node.stdout)[0]?.['http'])
    const on = async (...args: readonly string[]): Promise<string> => {
      const { stdout, stderr } = await inProcess([...args, '--store', store])
      return `${stdout}${stderr}`
    }
    const issued = await on('token', 'new', '--name', 'wall', '--permission', 'admin', '--json')
    const token = String(documents(issued)[0]?.['token'])
    const local = readFileSync(join(store, 'http.token'), 'utf8').trim()
    const wrong = `${token.slice(0, -4)}aaaa`

    const told: string[] = [await on('token', 'list', '--json'), await on('status', '--json')]
    const ask = async (method: string, path: string, secret: string, body?: string): Promise<void> => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${secret}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
      })
      told.push(JSON.stringify([...response.headers]), await response.text())
    }
    await on('start', 'notes/Add', '{"text":"a note","inSeconds":0,"copies":1}', '--no-wait')
    await on('start', 'notes/Park', '--no-wait')
    const { paths } = JSON.parse(await on('openapi')) as { paths: Record<string, Record<string, Operation>> }
    const askAll = async (secret: string): Promise<void> => {
      for (const [template, methods] of Object.entries(paths))
        for (const [method, { responses }] of Object.entries(methods)) {
          if (JSON.stringify(responses).includes('event-stream') || /\/(session|tokens)$/.test(template)) continue
          const path = template.replace('/api/v1', '').replaceAll(/\{\w+\}/g, '0123456789ab')
          await ask(method.toUpperCase(), path, secret, method === 'get' ? undefined : '{}')
        }
    }
    // The wrong one last: whoever errs too often is not listened to any more.
    for (const secret of [token, local, wrong]) await askAll(secret)
    // What is wrong with a request is told, but not what was in it.
    await ask('POST', '/session', wrong, JSON.stringify({ secret: wrong }))
    await ask('POST', '/flows', token, `{"flow": "${token}`)
    await ask('GET', `/states?key=${passphrase}&type=x`, token)
    told.push(await on('log', 'show', '--limit', '1000', '--json'), await on('doctor', '--json'))
    const { stdout, stderr } = await node.signal('SIGTERM')
    expect(stderr, 'it has told everything').to.contain('"level":"debug"')

    const everything = [stdout, stderr, ...told].join('\n')
    const key = readKeyFile(join(store, 'node.key'), { passphrase })
    for (const secret of [...tracesOf(key.exportPrivate()), passphrase, token, wrong, local])
      expect(everything.includes(secret), `it tells a secret that begins with ${secret.slice(0, 6)}`).to.be.false
  })

  it('that stand in the address of a log are told by nobody', async () => {
    const log = `postgres://node:${password}@127.0.0.1:1/app`
    const told = [
      await carillon(['doctor', '--store', join(folder, 'x'), '--log', log]),
      await carillon(['doctor', '--store', join(folder, 'x'), '--log', `postgres://node:${password}@:x/`]),
      await carillon(['log', 'verify', '--log', log]),
      await carillon(['log', 'copy', store, log]),
    ]
    const waiting = RunningNode.begin([
      ...[
        'run',
        fixtureApp,
        '--store',
        join(folder, 'far'),
        '--log',
        log,
        '--log-format',
        'json',
        '--log-level',
        'debug',
      ],
    ])
    for (const untilMs = Date.now() + 20_000; waiting.stderr === '' && Date.now() < untilMs;)
      await new Promise((resolve) => setTimeout(resolve, 50))
    told.push(await waiting.signal('SIGKILL'))
    const everything = told.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('\n')
    expect(everything).to.contain('127.0.0.1:1')
    expect(everything).not.to.contain(password)
  })
})
