/** Real nodes in processes of their own on one machine, driven over their control sockets. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { commandStart } from '../../samples/shared/test/builtPackage.js'
import type { Json } from '../../src/encoding/canonical.js'
import type { Party } from '../../src/identity/Party.js'
import type { Client } from '../../src/client/Client.js'
import { connect } from '../../src/client/connect.js'
import { socketFetch } from '../../src/cli/nodeFetch.js'
import { makeNetwork, type NewMember, type NewNetwork } from '../../src/network/makeNetwork.js'
import { readStore } from '../../src/folder/readStore.js'
import { queryVault } from '../../src/storage/queries/readVault.js'
import type { VaultEntry } from '../../src/vault/VaultEntry.js'
import type { Database } from '../../src/storage/Database.js'

const root = resolve(import.meta.dirname, '../..')
export const iouApp = join(root, 'test/session/iou.ts')
export const raceApp = join(root, 'test/session/race.ts')

type Process = { readonly child: ChildProcess; output: string }

export const cleanEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE_OPTIONS|CARILLON_.*)$/.test(name)))

export class NetworkOfProcesses {
  readonly #scratch: string
  readonly #made: NewNetwork
  readonly #app: string
  readonly #processes = new Map<string, Process>()

  private constructor(scratch: string, made: NewNetwork, app: string) {
    this.#scratch = scratch
    this.#made = made
    this.#app = app
  }

  static async make(members: readonly NewMember[], app = iouApp): Promise<NetworkOfProcesses> {
    const scratch = mkdtempSync(join(tmpdir(), 'carillon-network-'))
    return new NetworkOfProcesses(scratch, await makeNetwork(join(scratch, 'local'), { members }), app)
  }

  folder(name: string): string {
    return join(this.#made.folder, name)
  }

  party(name: string): Party {
    const member = this.#made.members.find(({ party }) => party.name === name)
    if (member === undefined) throw new Error(`no ${name}`)
    return member.party
  }

  /** Starts a party's node as a process; resolves once it takes commands. */
  async start(name: string): Promise<void> {
    const child = spawn(
      process.execPath,
      [...commandStart, 'run', this.#app, '--network', this.folder(name), '--json'],
      {
        cwd: root,
        env: cleanEnvironment(),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const running: Process = { child, output: '' }
    this.#processes.set(name, running)
    await new Promise<void>((resolve, reject) => {
      const hear = (chunk: Buffer): void => {
        running.output += chunk.toString('utf8')
        if (running.output.includes('"event":"started"')) resolve()
      }
      child.stdout.on('data', hear)
      child.stderr.on('data', hear)
      child.on('close', () => reject(new Error(`${name} ended: ${running.output}`)))
    })
  }

  output(name: string): string {
    return this.#processes.get(name)?.output ?? ''
  }

  client(name: string): Client {
    return connect('http://localhost', undefined, { fetch: socketFetch(this.folder(name)), silenceMs: Infinity })
  }

  async startFlow(name: string, flow: string, input: Json): Promise<string> {
    return (await this.client(name).start(flow, input)).id
  }

  /** Ends a party's process with a signal and waits until it is gone. */
  async end(name: string, signal: NodeJS.Signals): Promise<number | null> {
    const running = this.#processes.get(name)
    if (running === undefined) return null
    const { child } = running
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const gone = new Promise<number | null>((resolve) => child.once('close', resolve))
    child.kill(signal)
    return gone
  }

  read<A>(name: string, read: (db: Database) => A): A {
    return readStore(this.folder(name), read)
  }

  /** The unconsumed states of a party's vault, by ref. */
  states(name: string): readonly VaultEntry[] {
    return this.read(name, (db) => queryVault(db, { limit: 500 })).items
  }

  async remove(): Promise<void> {
    await Promise.all([...this.#processes.keys()].map((name) => this.end(name, 'SIGKILL')))
    rmSync(this.#scratch, { recursive: true, force: true })
  }
}
