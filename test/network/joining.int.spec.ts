/** What a party that joins a running network meets: nodes that take up the map that lists it, whole or not at all. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { instant, startNode, type Node } from 'carillon'
import { decodeEvent } from 'carillon/logs'
import { addParty, makeNetwork, openNetworkMap, signNetworkMap } from 'carillon/network'
import type { Logger } from 'carillon/telemetry'
import { readKeyFile } from '../../src/keys/KeyFile.js'
import { app, Iou, Lend } from '../session/iou.js'
import { eventually } from './LoopbackNetwork.js'

const dueAt = instant('2099-01-01T00:00:00Z')

const mapsTaken = async (node: Node): Promise<readonly number[]> => {
  const serials: number[] = []
  for await (const { firstRevision, events } of node.readLog())
    events.forEach((line, index) => {
      const event = decodeEvent(line, firstRevision + index)
      if (event.type === 'NetworkMapChanged') serials.push(event.map.serial)
    })
  return serials
}

describe('A party that joins a network whose nodes run', () => {
  const running = new Set<Node>()
  const lines: string[] = []
  const logger: Logger = {
    info: (message) => lines.push(message),
    warn: (message) => lines.push(message),
    error: (message) => lines.push(message),
  }
  let scratch: string
  let folder: string
  let bob: Node
  const start = async (name: string): Promise<Node> => {
    const node = await startNode({ app, networkFolder: join(folder, name), logger })
    running.add(node)
    return node
  }
  const stop = async (node: Node): Promise<void> => {
    running.delete(node)
    await node.stop()
  }
  const heldBy = async (node: Node): Promise<readonly number[]> =>
    (await node.states(Iou)).map(({ data }) => data.amount)
  before(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-joining-'))
    const made = await makeNetwork(join(scratch, 'local'), {
      members: [{ name: 'Bob' }, { name: 'Notary', notary: 'validating' }],
    })
    folder = made.folder
    ;[bob] = await Promise.all([start('Bob'), start('Notary')])
  })
  after(async () => {
    await Promise.all([...running].map(stop))
    rmSync(scratch, { recursive: true, force: true })
  })

  it('is dealt with as soon as they have taken up the map that lists it, without a restart', async () => {
    const added = await addParty(folder, { name: 'Carol' })
    const carol = await start('Carol')
    await carol.run(Lend, { borrower: bob.party, amount: 7, dueAt })
    expect(bob.network.party('Carol')).to.deep.equal(added.member.party)
    await bob.run(Lend, { borrower: carol.party, amount: 8, dueAt })
    expect(await heldBy(bob)).to.have.members([7, 8])
    expect(await mapsTaken(bob)).to.deep.equal([2])
    expect(await mapsTaken(carol)).to.deep.equal([])
    expect(lines).to.contain('The node goes by map 2 of the network local. Carol has joined.')
  })

  it('does not come in by a map that the root has not signed, and the reason is told', async () => {
    const file = join(folder, 'Bob', 'network.json')
    const good = readFileSync(file, 'utf8')
    writeFileSync(file, good.replace('"serial": 2', '"serial": 3'))
    await eventually(
      () => lines.some((line) => /^A changed network map was refused, and map 2 stays in use\. .*altered/.test(line)),
      'the refusal is told',
    )
    expect(await mapsTaken(bob)).to.deep.equal([2])
    writeFileSync(file, good)
  })

  it('is a stranger again once a newer map no longer lists it', async () => {
    const root = readKeyFile(join(folder, 'root.key'))
    const file = join(folder, 'network.json')
    const { terms } = openNetworkMap(readFileSync(file, 'utf8'), root.publicKey)
    const members = terms.members.filter(({ party }) => party.name !== 'Carol')
    const newer = JSON.stringify(signNetworkMap({ ...terms, serial: 3, members }, root))
    for (const name of ['Bob', 'Notary']) writeFileSync(join(folder, name, 'network.json'), newer)
    await eventually(() => bob.network.party('Carol') === undefined, 'Bob knows Carol no more')
    const carol = [...running].find(({ party }) => party.name === 'Carol')
    if (carol === undefined) throw new Error('Carol does not run')
    const failure = await bob.run(Lend, { borrower: carol.party, amount: 9, dueAt }).catch((error: unknown) => error)
    expect(failure).to.have.property('code', 'party-unknown')
    await carol.start(Lend, { borrower: bob.party, amount: 10, dueAt })
    await eventually(
      () => lines.some((line) => line.includes(`${carol.party.key} is not a party of this network`)),
      'Carol is turned away',
    )
    expect(await heldBy(bob)).to.have.members([7, 8])
  })

  it('has left for good: a restart goes on from the newest map, and refuses the one that listed it', async () => {
    await stop(bob)
    const again = await start('Bob')
    expect(again.network.party('Carol')).to.equal(undefined)
    await stop(again)
    const old = readFileSync(join(folder, 'network.json'), 'utf8')
    writeFileSync(join(folder, 'Bob', 'network.json'), old)
    expect(await start('Bob').catch((error: unknown) => error)).to.have.property('code', 'network-map-outdated')
  })
})
