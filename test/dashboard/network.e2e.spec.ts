/** The dashboard lets an operator decide about a network map that contradicts the one in use. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { defineApp, startNode, type Node } from '../../src/index.js'
import { serveHttp, type HttpServer } from '../../src/entries/http.js'
import { signNetworkMap, type NetworkTerms } from '../../src/identity/SignedNetworkMap.js'
import { readKeyFile } from '../../src/keys/KeyFile.js'
import { mapSerialOf } from '../../src/network/followMap.js'
import { makeNetwork } from '../../src/network/makeNetwork.js'
import { networkFiles, openNetworkFolder } from '../../src/network/NetworkFolder.js'
import { accessibilityFaults, Browser, desk, until } from './Browser.js'
import { builtDashboard } from './builtDashboard.js'

describe('the dashboard, about the network map', () => {
  let scratch: string
  let alice: string
  let node: Node
  let server: HttpServer
  let browser: Browser

  before(async () => {
    await builtDashboard()
    scratch = mkdtempSync(join(tmpdir(), 'carillon-map-'))
    const folder = join(scratch, 'local')
    alice = join(folder, 'Alice')
    await makeNetwork(folder, { members: [{ name: 'Alice' }, { name: 'Notary', notary: 'validating' }] })
    node = await startNode({ app: defineApp({ name: 'spec', states: [], flows: [] }), networkFolder: alice })
    server = await serveHttp({ node }, { port: 0 })
    browser = await Browser.open()
  })
  after(async () => {
    await browser.close()
    await server.close()
    await node.stop()
    rmSync(scratch, { recursive: true, force: true })
  })

  const terms = (): NetworkTerms => openNetworkFolder(alice).map.terms
  const accepted = async (): Promise<readonly Record<string, unknown>[]> => {
    const found: Record<string, unknown>[] = []
    for await (const { events } of node.readLog())
      for (const line of events) {
        const event = JSON.parse(line) as Record<string, unknown>
        if (event['type'] === 'NetworkMapAccepted') found.push(event)
      }
    return found
  }
  const enter = async (): Promise<Page> => {
    const page = await browser.page(desk)
    await page.goto(server.newLink())
    await page.waitForSelector('.figures')
    await page.evaluate(`location.hash = '#/parties'`)
    await until(page, `document.querySelector('main')?.innerText.includes('valid until') === true`)
    return page
  }

  it('shows the map in use, and one that contradicts it with what can be done about it', async () => {
    const first = terms()
    const other = { ...first, name: 'quite another' }
    writeFileSync(
      networkFiles(alice).map,
      JSON.stringify(signNetworkMap(other, readKeyFile(join(scratch, 'local', 'root.key')))),
    )
    while (node.maps.contradicting === undefined) await new Promise((resolve) => setImmediate(resolve))
    const page = await enter()
    await until(page, `document.querySelector('.contradicting')?.innerText.includes('quite another') === true`)
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await page.fill('.contradicting input', 'as agreed')
    await page.click('.contradicting button')
    await page.click('.contradicting .asking button.danger')
    await until(page, `document.querySelector('.contradicting') === null`)
    expect((await accepted()).map(({ map, note }) => ({ map, note }))).to.deep.equal([
      { map: mapSerialOf(other), note: 'as agreed' },
    ])
    expect(node.maps.inUse?.name).to.equal('quite another')
    await browser.closePages()
  })

  it('accepts a map that is not in the folder yet', async () => {
    const ahead = mapSerialOf({ ...terms(), serial: 40 })
    const page = await enter()
    await page.fill('label:has-text("before it is in the folder") input', JSON.stringify(ahead))
    await page.click('button:has-text("Accept")')
    await page.click('.asking button.danger')
    await until(page, `document.querySelector('.said')?.textContent === 'Map 40 is accepted.'`)
    expect((await accepted()).at(-1)?.['map']).to.deep.equal(ahead)
    await browser.closePages()
  })
})
