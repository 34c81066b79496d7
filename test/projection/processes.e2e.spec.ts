/** Real processes that run the same projection on one PostgreSQL: one writes, whatever happens to the others. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { programStart } from '../../samples/shared/test/builtPackage.js'
import { startNode, type Node } from '../../src/index.js'
import { keyPairFromSeed } from '../../src/testing/index.js'
import { dropSchema, freshSchema, postgresUrl, withClient } from '../postgres/testDatabase.js'
import { NodeProcesses } from '../standby/NodeProcesses.js'
import { PlaceOrder, shop } from '../subscription/orders.js'
import { takenIn } from './taken.js'

const key = keyPairFromSeed('a'.repeat(64))
const program = join(import.meta.dirname, 'shopProcess.ts')

/** One process on a folder of its own. */
class ShopProcess {
  readonly #child: ChildProcess
  #said: string[] = []
  #hear = (): void => undefined

  constructor(folder: string, url: string, schema: string) {
    this.#child = spawn(process.execPath, [...programStart, program, '-', folder, '0', url, schema], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const { event, text } = JSON.parse(line) as { readonly event: string; readonly text?: string }
      this.#said.push(event === 'projection' ? `projection ${text}` : event)
      this.#hear()
    })
  }

  /** Resolves when it has said something so many times since this was last waited for. */
  async says(what: string, times = 1): Promise<void> {
    const heard = (): readonly number[] => this.#said.flatMap((said, place) => (said === what ? [place] : []))
    while (heard().length < times) await new Promise<void>((resolve) => (this.#hear = resolve))
    this.#said = this.#said.filter((said) => said !== what)
  }

  order(count: number): void {
    this.#child.stdin?.write(`${count}\n`)
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill(signal)
    await once(this.#child, 'exit')
  }
}

describe('Processes that run the same projection on one PostgreSQL', () => {
  let url = ''
  let schema = ''
  let folder = ''
  beforeEach(async () => {
    url = await postgresUrl()
    schema = freshSchema()
    folder = mkdtempSync(join(tmpdir(), 'carillon-projections-'))
  })
  afterEach(async () => {
    await dropSchema(url, schema)
    rmSync(folder, { recursive: true, force: true })
  })

  const taken = (): Promise<readonly unknown[]> =>
    withClient(url, async (client) => {
      const { rows } = await client.query(`SELECT revision, id FROM "${schema}".taken ORDER BY place`)
      return rows as readonly unknown[]
    })

  /** Compares the rows with the log, one last order included. Gives how many there are. */
  const exactRows = async (node: Node): Promise<number> => {
    const orders = node.subscribe({ from: 'start', types: ['TransactionRecorded'] })
    const last = await node.run(PlaceOrder, { article: 'the last one', pieces: 1 })
    await node.projection(takenIn(url, schema)).readAt(node.head.revision)
    const byLog: unknown[] = []
    for await (const { revision, id, produced } of orders) {
      byLog.push({ revision, id })
      if (JSON.stringify(produced).includes(last)) break
    }
    const rows = await taken()
    expect(rows).to.deep.equal(byLog)
    return rows.length
  }

  it('take over from one another, killed or stopped in the middle, and each event counts once', async () => {
    const log = freshSchema()
    const address = new URL(url)
    address.searchParams.set('schema', log)
    const processes = new NodeProcesses(address.href, 1_500, { program, more: [url, schema] })
    try {
      processes.start()
      processes.start()
      await processes.acknowledgedMore(5)
      for (const signal of ['SIGKILL', 'SIGSTOP', 'SIGKILL'] as const) {
        await processes.replaceLeader(signal)
        await processes.acknowledgedMore(10)
      }
    } finally {
      await processes.end()
    }
    const app = shop(takenIn(url, schema))
    const node = await startNode({ app, log: address.href, store: join(folder, 'last'), key })
    expect(await exactRows(node)).to.be.greaterThan(processes.acknowledged.length)
    await node.stop()
    await dropSchema(url, log)
  })

  it('on copies of one store: the last to start owns the rows, and the others are fenced or refused', async () => {
    const [first, copy] = [join(folder, 'first'), join(folder, 'copy')]
    const running: ShopProcess[] = []
    const start = async (store: string): Promise<ShopProcess> => {
      const started = new ShopProcess(store, url, schema)
      running.push(started)
      await started.says('leading')
      return started
    }
    try {
      const before = await start(first)
      await before.says('projection live')
      before.order(3)
      await before.says('acknowledged', 3)
      // What is taken in later would be of a history that the copy does not have.
      while ((await taken()).length < 3) await new Promise((resolve) => setTimeout(resolve, 20))
      await before.end('SIGTERM')
      cpSync(first, copy, { recursive: true })

      const old = await start(first)
      await old.says('projection live')
      const owner = await start(copy)
      await owner.says('projection live')
      old.order(1)
      await old.says('projection stopped: projection-fenced')

      owner.order(1_000)
      await owner.says('acknowledged', 20)
      await owner.end('SIGKILL')
      const again = await start(copy)
      await again.says('projection live')
      await old.end('SIGTERM')
      const stranger = await start(first)
      await stranger.says('projection stopped: projection-ahead')
      again.order(3)
      await again.says('acknowledged', 3)
      await again.end('SIGTERM')
    } finally {
      await Promise.all(running.map((each) => each.end('SIGKILL')))
    }
    const node = await startNode({ app: shop(takenIn(url, schema)), store: copy, key })
    expect(await exactRows(node)).to.be.greaterThan(26)
    await node.stop()
  })
})
