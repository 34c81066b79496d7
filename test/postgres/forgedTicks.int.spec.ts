/** Somebody who may insert rows into the table of the log, and holds no key of the node. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import { standBy, startNode, type CarillonError, type Node } from '../../src/index.js'
import { generateKeyPair, readKeyFile } from '../../src/entries/keys.js'
import { openLog, verifyLog, type EventLog, type Head } from '../../src/entries/logs.js'
import type { Standby } from '../../src/entries/types.js'
import { canonicalText } from '../../src/encoding/canonical.js'
import { sha256 } from '../../src/encoding/hash.js'
import { signTick } from '../../src/log/TickSigner.js'
import { tickAfter, type EncodedTick } from '../../src/log/Tick.js'
import { instant } from '../../src/time/Instant.js'
import { bank as app, Coin, MintCoin } from '../store/bank.js'
import { dropSchema, freshSchema, postgresUrl } from './testDatabase.js'

const at = instant('2030-01-01T00:00:00.000Z')
const password = 'only-inserts'

/** A token for everything, and a flow that mints. */
const wished = [
  canonicalText({
    type: 'TokenIssued',
    token: 'ghost',
    name: 'ghost',
    hash: sha256('known to the forger'),
    permissions: ['admin'],
    by: 'nobody',
  }),
  canonicalText({
    type: 'FlowStarted',
    flow: 'f'.repeat(32),
    name: MintCoin.name,
    version: 1,
    input: { value: 1_000_000 },
    origin: { kind: 'client', by: 'nobody' },
  }),
]

describe('Whoever can insert rows into the table of a log', () => {
  let folder: string
  let url: string
  let schema: string
  let role: string
  let node: Node | undefined
  let standby: Standby | undefined
  /** The log as the node reaches it, and as the forger does. */
  let own: string
  let theirs: string

  const admin = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }
  const start = async (): Promise<Node> => {
    node = await startNode({ app, store: join(folder, 'node'), log: own })
    return node
  }
  const refusal = async (work: () => Promise<unknown>): Promise<string> =>
    work().then(
      () => 'fulfilled',
      (error: unknown) => (error as CarillonError).code,
    )
  const withLog = async <A>(address: string, work: (log: EventLog) => Promise<A>): Promise<A> => {
    const log = await openLog(address)
    try {
      return await work(log)
    } finally {
      await log.close()
    }
  }
  const forge = (make: (head: Head) => EncodedTick): Promise<void> =>
    withLog(theirs, async (log) => {
      const head = await log.head()
      expect(await log.append(head, make(head))).to.deep.equal({ kind: 'appended' })
    })
  const stranger = generateKeyPair()
  /** What a forger can make without the key. */
  const forgeries: Readonly<Record<string, readonly [code: string, make: (head: Head) => EncodedTick]>> = {
    'without a signature': ['tick-unsigned', (head) => tickAfter(head, at, wished, () => '')],
    'with text that is no signature': [
      'tick-unsigned',
      (head) => tickAfter(head, at, wished, () => 'signed, the node'),
    ],
    'signed with another key': [
      'tick-forged',
      (head) => tickAfter(head, at, wished, (hash) => signTick(stranger, sha256('any network'), hash, [])),
    ],
    'with the signature of the tick before': [
      'tick-forged',
      (head) => tickAfter(head, at, wished, () => head.signature),
    ],
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-forged-'))
    url = await postgresUrl()
    schema = freshSchema()
    role = `forger_${schema}`
    const address = new URL(url)
    address.searchParams.set('schema', schema)
    own = address.href
    await (await start()).run(MintCoin, { value: 1 })
    await node?.stop()
    await admin(
      `CREATE ROLE ${role} LOGIN PASSWORD '${password}'; GRANT USAGE ON SCHEMA ${schema} TO ${role};
       GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}; GRANT INSERT ON ${schema}.log_ticks TO ${role}`,
    )
    address.username = role
    address.password = password
    theirs = address.href
  })

  afterEach(async () => {
    await node?.crash()
    await standby?.stop()
    node = standby = undefined
    await dropSchema(url, schema)
    await admin(`DROP ROLE ${role}`)
    rmSync(folder, { recursive: true })
  })

  for (const [how, [code, make]] of Object.entries(forgeries)) {
    it(`makes no token and starts no flow by a tick ${how}`, async () => {
      await forge(make)
      expect(await refusal(start)).to.equal(code)
      // Without its views, too: then the whole log is folded.
      for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, 'node', `carillon.db${suffix}`), { force: true })
      expect(await refusal(start)).to.equal(code)
      const { problems } = await withLog(own, (log) => verifyLog(log.read(0)))
      expect(problems.map(({ kind }) => kind)).to.deep.equal(['forged'])
      // The node goes on as soon as someone who may has taken the row out.
      await admin(
        `ALTER TABLE ${schema}.log_ticks DISABLE TRIGGER USER; DELETE FROM ${schema}.log_ticks
         WHERE tick = (SELECT max(tick) FROM ${schema}.log_ticks); ALTER TABLE ${schema}.log_ticks ENABLE TRIGGER USER`,
      )
      expect(await (await start()).tokens()).to.deep.equal([])
      expect((await node!.states(Coin)).map(({ data }) => data.value)).to.deep.equal([1])
    })
  }

  it('cannot make a standby follow: it ends, and says why', async () => {
    let failure: Error | undefined
    await start()
    standby = await standBy({
      app,
      store: join(folder, 'standby'),
      key: readKeyFile(join(folder, 'node', 'node.key')),
      log: own,
      onFailure: (error) => {
        failure = error
      },
    })
    await node?.crash()
    node = undefined
    await forge((head) => tickAfter(head, at, wished, () => head.signature))
    expect(await refusal(() => standby!.leading())).to.equal('tick-forged')
    await standby.stop()
    expect(failure).to.have.property('code', 'tick-forged')
    // Whoever asks later hears the same.
    expect(await refusal(() => standby!.leading())).to.equal('tick-forged')
  })
})
