import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { serveHttp } from '../../src/entries/http.js'
import { Belfry, bellsPanel, Hang } from '../http/belfry.js'
import { accessibilityFaults, Browser, desk, until, type Look } from './Browser.js'
import { builtDashboard } from './builtDashboard.js'

describe('the dashboard, to visitors of every kind', function () {
  let belfry: Belfry
  let browser: Browser
  const troubles: string[] = []

  const enterWith = async (token: string, look: Look = desk): Promise<Page> => {
    const page = await browser.page(look)
    page.on('pageerror', (error) => troubles.push(error.message))
    await page.goto(belfry.server.url)
    await page.waitForSelector('.sign-in')
    await page.fill('input', token)
    await page.click('button')
    await page.waitForSelector('main#main')
    return page
  }
  const shown = (page: Page): Promise<string> => page.innerText('main')

  before(async () => {
    await builtDashboard()
    belfry = await Belfry.open()
    browser = await Browser.open()
  })
  afterEach(() => browser.closePages())
  after(async () => {
    await browser.close()
    await belfry.close()
  })

  it('says at an address where nothing is that nothing is there, and goes on', async () => {
    const page = await enterWith(belfry.adminToken)
    for (const address of ['state/%zz', 'flow/definitions', 'flow/..%2Fstatus', 'state/..%2Ftokens', 'panel/%F0%9F'])
      for (const turn of ['by a link', 'by a reload'] as const) {
        if (turn === 'by a link') await page.evaluate(`location.hash = ${JSON.stringify(`#/${address}`)}`)
        else await page.reload()
        await until(page, `/nothing here|no such|There is no/i.test(document.querySelector('main')?.innerText ?? '')`)
        expect(await page.locator('main a[href^="#/"]').count(), `${address} ${turn}: a way on`).to.be.greaterThan(0)
      }
    await page.evaluate(`location.hash = '#/vault'`)
    await until(page, `document.querySelectorAll('.row').length > 1`)
    expect(troubles).to.deep.equal([])
  })

  it('goes on when an answer cannot be drawn, and says so', async () => {
    const page = await enterWith(belfry.adminToken)
    await page.route(/\/states\?/, (route) => route.fulfill({ json: { items: [null] } }))
    await page.evaluate(`location.hash = '#/vault'`)
    await page.getByText('This view cannot be drawn').waitFor()
    await page.getByRole('link', { name: 'Agenda', exact: true }).click()
    await until(page, `document.querySelector('main h1')?.textContent === 'Agenda'`)
  })

  it('shows whoever may see a panel alone that panel, live, and takes its actions', async () => {
    const page = await enterWith(await belfry.token(['bells:view', 'bells:manage']))
    await page.getByRole('heading', { name: 'Bells' }).waitFor()
    expect(await page.locator('nav a').allTextContents()).to.deep.equal(['Bells'])
    await page.getByRole('button', { name: 'Hang a bell …' }).click()
    await page.getByLabel('Name').fill('Georgette')
    await page.getByRole('button', { name: 'Hang a bell' }).click()
    await until(page, `document.querySelector('table').textContent.includes('Georgette')`)
    await belfry.node.run(Hang, { name: 'Meanwhile', minutes: 900, manner: 'plain' })
    await until(page, `document.querySelector('table').textContent.includes('Meanwhile')`)
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })

  it('leads to the node that has the panel, where there are several', async () => {
    const { node, adminToken: localToken } = belfry
    const server = await serveHttp(
      [
        { node, name: 'Porch' },
        { node, name: 'Tower', panels: [bellsPanel] },
      ],
      { localToken },
    )
    const page = await browser.page()
    await page.goto(server.url)
    await page.fill('input', await belfry.token(['bells:view']))
    await page.click('button')
    await page.getByRole('heading', { name: 'Bells' }).waitFor()
    expect(await page.locator('select.node').inputValue()).to.equal('Tower')
    await page.locator('select.node').selectOption('Porch')
    await page.getByText('Your token shows nothing here').waitFor()
    await page.context().close()
    await server.close()
  })

  it('offers no action to whoever may only look at a panel', async () => {
    const page = await enterWith(await belfry.token(['bells:view']), { width: 390, height: 800, colours: 'dark' })
    await page.waitForSelector('table')
    expect(await page.getByRole('button', { name: 'Hang a bell …' }).count()).to.equal(0)
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(390)
  })

  it('tells whoever may start a flow and see nothing what the token is good for', async () => {
    const page = await enterWith(await belfry.token(['start:belfry/Sleep']))
    expect(await shown(page))
      .to.contain('start:belfry/Sleep')
      .and.to.contain('view')
  })

  it('can be left, and lets nobody in by the session that was left', async () => {
    const page = await enterWith(belfry.adminToken)
    const kept = await page.evaluate<string>(`sessionStorage.getItem('carillon session')`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForSelector('.sign-in')
    expect(await page.locator('.sign-in .trouble').count(), 'no trouble').to.equal(0)
    await page.evaluate(`sessionStorage.setItem('carillon session', ${JSON.stringify(kept)})`)
    await page.reload()
    await page.waitForSelector('.sign-in')
  })

  it('keeps its session from every other server of the host, and shares it with its own tabs', async () => {
    const page = await enterWith(belfry.adminToken)
    const session = await page.evaluate<string>(`sessionStorage.getItem('carillon session')`)
    const received: string[] = []
    const other = createServer((request, response) => {
      received.push(JSON.stringify([request.url, request.headers]))
      response.setHeader('content-type', 'text/html').end('<p>another server</p>')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const stranger = await page.context().newPage()
    await stranger.goto(`http://127.0.0.1:${port}/`)
    await stranger.evaluate(`fetch('/', { credentials: 'include' })`)
    expect(received.length).to.be.at.least(2)
    for (const each of received)
      expect(each)
        .not.to.match(/cookie|carillon-session/i)
        .and.not.to.contain(session)
    expect(await page.context().cookies()).to.deep.equal([])
    const tab = await page.context().newPage()
    await tab.goto(belfry.server.url)
    await tab.waitForSelector('.figures')
    await new Promise((resolve) => other.close(resolve))
  })

  it('shows on a phone that it is live, however long the name of the node is', async () => {
    const server = await serveHttp({ node: belfry.node, name: 'Quasimodo'.repeat(12) })
    const page = await browser.page({ width: 360, height: 740, colours: 'light' })
    await page.goto(server.newLink())
    await page.waitForSelector('.figures')
    const right = await page.evaluate<number>(`document.querySelector('.bar .lamp').getBoundingClientRect().right`)
    expect(right).to.be.at.most(360)
    await page.context().close()
    await server.close()
  })

  it('says why a visitor has to sign in again', async () => {
    const token = await belfry.token(['view'])
    const page = await enterWith(token)
    await page.waitForSelector('.figures')
    const issued = (await belfry.node.tokens()).find(({ id }) => token.includes(id))
    await belfry.node.revokeToken(issued!.id)
    await page.waitForSelector('.sign-in')
    expect(await page.textContent('.sign-in .trouble')).to.contain('revoked')
  })

  it('met no error on the way', () => {
    expect(troubles.filter((text) => !text.includes('null'))).to.deep.equal([])
  })
})
