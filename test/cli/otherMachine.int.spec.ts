/** What the command says of a node is the same wherever it asks: at an address, on the socket, or of the store alone. */
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import * as t from 'io-ts'
import { claimControlPath, releaseControlPath } from '../../src/folder/controlAddress.js'
import { defineVerb, defineVerbs, serveHttp } from '../../src/entries/http.js'
import { Hang, Sleep } from '../http/belfry.js'
import { ServedNode } from './servedNode.js'
import { documents, inProcess, scratchFolder } from './spawnCarillon.js'

describe('the command on a node on another machine', () => {
  const { folder, remove } = scratchFolder()
  const store = join(folder, 'data')
  const nowhere = join(folder, 'nowhere')
  let served: ServedNode
  let bell: string
  let flow: string

  const asked = async (words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await inProcess(words)
    expect(code, `${words.join(' ')}: ${stderr}`).to.equal(0)
    return stdout
  }
  const ofStore = (words: string) => asked([...words.split(' '), '--store', store])
  /** With a store that is not there, so that nothing can come from it. */
  const ofAddress = (words: string) => asked([...words.split(' '), '--store', nowhere, '--url', served.url])

  before(async () => {
    served = await ServedNode.start(store)
    bell = await served.node.run(Hang, { name: 'Emmanuel', minutes: 10, manner: 'plain' })
    await served.node.run(Hang, { name: 'Marie', minutes: 20, manner: 'cracked' })
    const [made] = documents(await ofStore('token new --name far --permission admin --json'))
    process.env['CARILLON_TOKEN'] = String(made?.['token'])
    const [first] = documents(await ofStore('flow list --json'))
    flow = String(first?.['id'])
  })
  after(async () => {
    delete process.env['CARILLON_TOKEN']
    await served.stop()
    remove()
  })

  const looks = (): readonly string[] => [
    ...['agenda', 'agenda --show attention', 'occurrences', `occurrences --of ${bell.slice(0, 10)}`],
    ...[`why ${bell}`, `state show ${bell.slice(0, 12)}`, `state graph ${bell}`],
    ...['vault', 'vault --status all --limit 1', 'vault --types', 'vault --count', 'vault --text emma', 'vault --at 3'],
    ...['flow list', `flow show ${flow.slice(0, 8)}`, `flow result ${flow}`, 'flow definitions', `flow watch ${flow}`],
    ...['log show --limit 5', 'log show --from 2 --limit 3', 'log heads', 'parties', 'sessions', 'token list'],
    ...['timeline --from 2031-03-01T12:00:00Z --span 30m --bars 3', 'panel list', 'clock show'],
  ]

  it('says the same at an address as on the socket, as text and as JSON', async () => {
    for (const words of looks()) {
      expect(await ofAddress(words), words).to.equal(await ofStore(words))
      expect(await ofAddress(`${words} --json`), words).to.equal(await ofStore(`${words} --json`))
    }
    expect(await ofAddress('status')).to.match(/^node +Quasimodo\n[^]*agenda +2 activities scheduled/)
  })

  it('acts there, and says that the node has carried it out', async () => {
    for (const [words, done] of [
      [`activity pause ${bell.slice(0, 10)} --note slow`, { action: 'pause' }],
      [`activity resume ${bell.slice(0, 10)}`, { action: 'resume' }],
      ['drain start', { draining: true }],
      ['drain end', { draining: false }],
    ] as const)
      expect(documents(await ofAddress(`${words} --json`))[0], words).to.include({ ...done, carriedOutBy: 'node' })
    const [made] = documents(await ofAddress('token new --name other --permission view --json'))
    expect(await ofAddress(`token revoke ${String(made?.['id'])}`)).to.contain('is revoked')
    expect(documents(await ofAddress('start belfry/Sleep --no-wait --json'))[0]).to.have.property('flow')
  })

  it('acts on all flows that match, and says how many there were and which refused', async () => {
    await served.node.start(Sleep, {})
    await served.node.start(Sleep, {})
    const sleeping = (await served.node.flows({ name: Sleep.name, status: 'open' })).items.length
    expect(await ofAddress(`flow pause --all --name ${Sleep.name}`)).to.equal(`${sleeping} flows are paused.\n`)
    expect(await ofStore(`flow retry --all --name ${Sleep.name} --status paused`)).to.match(
      new RegExp(`^0 flows are retried\\.\\n${sleeping} flows refused it:\\n {2}\\w+ {2}.*not parked`),
    )
    expect(documents(await ofStore(`flow cancel --all --name ${Sleep.name} --json`))[0]).to.deep.equal({
      ...{ action: 'cancel', done: sleeping, refused: 0, refusals: [] },
    })
    expect((await served.node.flows({ name: Sleep.name, status: 'open' })).items).to.deep.equal([])
  })

  it("asks for an app's own verbs there", async () => {
    const greet = defineVerb({
      name: 'greet',
      summary: 'greet someone',
      arguments: [{ name: 'who', summary: 'whom' }],
      input: t.strict({ who: t.string }),
      handle: ({ node, input }) => Promise.resolve({ lines: [`${node.party.name} greets ${input.who}.`], data: input }),
    })
    const verbs = [defineVerbs({ name: 'tower', summary: 'what the tower does', verbs: [greet] })]
    const server = await serveHttp({ node: served.node, verbs })
    try {
      const place = ['--store', nowhere, '--url', server.url]
      expect(await asked(['tower', 'greet', 'Esmeralda', ...place])).to.equal('Quasimodo greets Esmeralda.\n')
      const unknown = await inProcess(['steeple', 'greet', ...place])
      expect(unknown.code).to.equal(2)
      expect(unknown.stderr).to.contain(`The app that runs at ${server.url} has no such verb`)
    } finally {
      await server.close()
    }
  })

  it('looks into the past of a store only', async () => {
    const { code, stderr } = await inProcess(['agenda', '--at', '3', '--url', served.url])
    expect(code).to.equal(2)
    expect(stderr).to.contain("'--url <address>'")
  })

  it('says the same of the store when no node runs on it', async () => {
    const needsNode = /^(flow definitions|panel list|clock show)/
    // Distances are measured from now, and without a node that is the end of the log.
    const before = await Promise.all(
      looks()
        .filter((words) => !needsNode.test(words))
        .map(async (words) => [words, await ofStore(`${words} --json`)] as const),
    )
    await served.stop()
    for (const [words, text] of before)
      if (!words.startsWith('log show --limit')) expect(await ofStore(`${words} --json`), words).to.equal(text)
    await served.start()
  })

  it('says the same of the store when its node hangs', async () => {
    const before = await ofStore('vault --json')
    await served.stop()
    const hung = createServer(() => undefined)
    await new Promise<void>((resolve) => hung.listen(claimControlPath(store), resolve))
    try {
      expect(await ofStore('vault --json')).to.equal(before)
      expect(await ofStore('agenda')).to.contain('belfry/Ring')
    } finally {
      hung.closeAllConnections()
      await new Promise((resolve) => hung.close(resolve))
      releaseControlPath(store)
      await served.start()
    }
  })
})
