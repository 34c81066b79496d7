/** A party of a running network that changes its key: the others learn it from the map, and go on with it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { instant, startNode, type Node } from 'carillon'
import { generateKeyPair, rotateKey } from 'carillon/keys'
import { verifyLog } from 'carillon/logs'
import { changePartyKey, makeNetwork } from 'carillon/network'
import { app, Iou, Lend } from '../session/iou.js'
import { eventually } from './LoopbackNetwork.js'

const dueAt = instant('2099-01-01T00:00:00Z')

describe('A party of a network that changes its key', () => {
  const running = new Map<string, Node>()
  let scratch: string
  let folder: string
  const start = async (name: string): Promise<Node> => {
    const node = await startNode({ app, networkFolder: join(folder, name) })
    running.set(name, node)
    return node
  }
  const stop = async (name: string): Promise<void> => {
    const node = running.get(name)
    running.delete(name)
    await node?.stop()
  }
  const node = (name: string): Node => {
    const found = running.get(name)
    if (found === undefined) throw new Error(`${name} does not run`)
    return found
  }
  const rotate = async (name: string): Promise<void> => {
    await stop(name)
    const { file } = await rotateKey(join(folder, name))
    const { serial } = await changePartyKey(folder, JSON.parse(readFileSync(file, 'utf8')))
    await start(name)
    for (const other of running.values())
      await eventually(
        () => other.network.members.some(({ party, keyChanges }) => party.name === name && keyChanges !== undefined),
        `${other.party.name} knows map ${serial}`,
      )
  }
  const held = async (name: string): Promise<readonly number[]> =>
    (await node(name).states(Iou)).map(({ data }) => data.amount)

  before(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-change-key-'))
    const made = await makeNetwork(join(scratch, 'local'), {
      members: [{ name: 'Alice' }, { name: 'Bob' }, { name: 'Notary', notary: 'validating' }],
    })
    folder = made.folder
    await Promise.all(['Alice', 'Bob', 'Notary'].map(start))
    await node('Alice').run(Lend, { borrower: node('Bob').party, amount: 1, dueAt })
  })
  after(async () => {
    await Promise.all([...running.keys()].map(stop))
    rmSync(scratch, { recursive: true, force: true })
  })

  it('goes on to deal with the others, in both directions', async () => {
    await rotate('Alice')
    await node('Alice').run(Lend, { borrower: node('Bob').party, amount: 2, dueAt })
    await node('Bob').run(Lend, { borrower: node('Alice').party, amount: 3, dueAt })
    expect(await held('Bob')).to.have.members([1, 2, 3])
    expect(await held('Alice')).to.have.members([1, 2, 3])
  })

  it('may be the notary: what stands under it goes on to', async () => {
    await rotate('Notary')
    await node('Bob').run(Lend, { borrower: node('Alice').party, amount: 4, dueAt })
    expect(await held('Alice')).to.have.members([1, 2, 3, 4])
  })

  it('leaves logs behind that verify at everyone', async () => {
    for (const [name, each] of running)
      expect((await verifyLog(each.readLog(0))).problems, `the log of ${name}`).to.deep.equal([])
  })

  it('is known to a node that starts later, and a second change follows from the first', async () => {
    await stop('Bob')
    await rotate('Alice')
    await start('Bob')
    await node('Alice').run(Lend, { borrower: node('Bob').party, amount: 5, dueAt })
    expect(await held('Bob')).to.include(5)
    expect((await verifyLog(node('Bob').readLog(0))).problems).to.deep.equal([])
  })

  it('is refused when the change is not signed by both keys, is of a stranger, or does not follow', async () => {
    const file = join(folder, 'Alice', 'key-change.json')
    const changes = JSON.parse(readFileSync(file, 'utf8')) as readonly Record<string, string>[]
    const change = changes.at(-1)!
    const refusal = async (value: unknown): Promise<unknown> =>
      changePartyKey(folder, value).then(
        () => 'taken',
        (error: unknown) => (error as { readonly code?: string }).code,
      )
    const forged = { ...change, from: change['to'], to: generateKeyPair().publicKey }
    expect(await refusal(forged)).to.equal('request-invalid')
    expect(await refusal(change), 'once more').to.equal('request-invalid')
    expect(await refusal({ ...change, party: change['to'] })).to.equal('party-unknown')
    expect(await refusal({})).to.equal('request-invalid')
  })
})
