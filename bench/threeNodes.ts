/**
 * Alice, Bob and a notary, each on a durable store of its own, in one process: joined by transports within it, or by TLS
 * on loopback.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startNode, type Node } from 'carillon'
import { generateKeyPair, readKeyFile, writeKeyFile, type KeyPair } from 'carillon/keys'
import { makeNetwork, networkIdOf, NetworkMap, type NotaryKind } from 'carillon/network'
import { dealApp } from './dealApp.js'
import { LocalTransports } from './LocalTransports.js'

export type ThreeNodes = {
  readonly alice: Node
  readonly bob: Node
  readonly notary: Node
  readonly stop: () => Promise<void>
}

const gathered = (alice: Node, bob: Node, notary: Node): ThreeNodes => ({
  ...{ alice, bob, notary },
  stop: async () => {
    await Promise.all([alice.stop(), bob.stop()])
    await notary.stop()
  },
})

/** The same key whenever the folder is opened again. */
const keyOf = (folder: string, name: string): KeyPair => {
  const file = join(folder, `${name}.key`)
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    writeKeyFile(file, generateKeyPair())
  }
  return readKeyFile(file)
}

export const inOneProcess = async (folder: string, kind: NotaryKind): Promise<ThreeNodes> => {
  const transports = new LocalTransports()
  const seats = ['Alice', 'Bob', 'Notary'].map((name) => ({ name, key: keyOf(folder, name) }))
  const network = new NetworkMap(
    seats.map(({ name, key }) => ({
      party: { name, key: key.publicKey },
      ...(name === 'Notary' ? { notary: kind } : {}),
    })),
    networkIdOf(keyOf(folder, 'Root').publicKey, 'bench'),
  )
  const start = (seat: (typeof seats)[number] | undefined): Promise<Node> => {
    if (seat === undefined) throw new Error('no such seat')
    const { name, key } = seat
    const transport = transports.of(key.publicKey)
    return startNode({ app: dealApp, store: join(folder, name), party: name, key, network, transport })
  }
  const [alice, bob, notary] = seats
  return gathered(await start(alice), await start(bob), await start(notary))
}

export const overTls = async (folder: string, kind: NotaryKind): Promise<ThreeNodes> => {
  const members = [{ name: 'Alice' }, { name: 'Bob' }, { name: 'Notary', notary: kind }]
  const { folder: local } = await makeNetwork(join(folder, 'local'), { members })
  const start = (name: string): Promise<Node> => startNode({ app: dealApp, networkFolder: join(local, name) })
  return gathered(await start('Alice'), await start('Bob'), await start('Notary'))
}
