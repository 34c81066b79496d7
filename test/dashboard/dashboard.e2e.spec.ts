import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { ClockControl, readLocalToken, serveHttp } from '../../src/entries/http.js'
import { repository } from '../docs/pages.js'
import { Belfry, Hang } from '../http/belfry.js'
import { accessibilityFaults, Browser, desk, until, type Look } from './Browser.js'
import { builtDashboard } from './builtDashboard.js'

/** Pictures for the docs are made here, and only when asked for: fonts differ from machine to machine. */
const pictures = process.env['UPDATE_DOCS'] === '1' ? join(repository, 'docs/pictures') : undefined

/** The views that stand in the docs. */
const shown = new Set(['overview', 'overview-dark', 'attention', 'state', 'flow', 'phone'])

const photograph = async (page: Page, name: string): Promise<void> => {
  if (pictures === undefined || !shown.has(name)) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}

describe('the dashboard in a real browser', function () {
  let belfry: Belfry
  let browser: Browser
  const troubles: string[] = []

  const enter = async (look: Look = desk): Promise<Page> => {
    const page = await browser.page(look)
    page.on('pageerror', (error) => troubles.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text())
    })
    await page.goto(belfry.server.newLink())
    await page.waitForSelector('.figures')
    return page
  }
  const goTo = async (page: Page, view: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`)
    await until(page, `document.querySelector('main .waiting') === null`)
  }

  before(async () => {
    await builtDashboard()
    belfry = await Belfry.open((virtual) => ({ clock: new ClockControl(virtual.clock, () => [virtual.node]) }))
    for (let index = 0; index < 12; index += 1)
      await belfry.node.run(Hang, { name: `Bell ${index}`, minutes: 5 + index * 4, manner: 'plain' })
    await belfry.virtual.advanceBy({ minutes: 25 })
    browser = await Browser.open()
  })
  // Every page holds a live stream, and a browser has only so many connections for one host.
  afterEach(() => browser.closePages())
  after(async () => {
    await browser.close()
    await belfry.close()
  })

  it('opens by its link, once, and keeps the secret out of the address', async () => {
    const page = await enter()
    expect(page.url()).to.match(/#\/overview$/)
    expect(await page.evaluate('document.cookie')).to.equal('')
    await page.reload()
    await page.waitForSelector('.figures')
  })

  it('lets nobody in without, and says how to get in', async () => {
    const page = await browser.page()
    await page.goto(belfry.server.url)
    await page.waitForSelector('.sign-in')
    expect(await page.textContent('.sign-in')).to.contain('carillon token link')
    await page.fill('input', 'crl_wrong')
    await page.click('button')
    await page.waitForSelector('.trouble')
    await page.fill('input', belfry.adminToken)
    await page.click('button')
    await page.waitForSelector('.figures')
  })

  it('opens the agenda as near as what is there allows, and lists everything that needs attention', async () => {
    const page = await enter()
    await until(page, `document.querySelector('.zoom')?.textContent === '6 h'`)
    const [waiting = ''] = await page.locator('.figure .value').nth(1).allTextContents()
    await until(page, `document.querySelectorAll('.two > :last-child .brief li').length === ${Number(waiting)}`)
  })

  it('shows how far the projections of the app have come', async () => {
    const page = await enter()
    await until(page, `/belfry.EndedFlows version 1.*up with the log/s.test(document.body.textContent)`)
  })

  it('loads nothing from anywhere else', async () => {
    const page = await browser.page()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(belfry.server.newLink())
    await page.waitForSelector('.figures')
    expect(asked.filter((url) => !url.startsWith(belfry.server.url))).to.deep.equal([])
  })

  it('has no fault that an accessibility checker finds, on any view, by day and by night', async () => {
    const views = ['overview', 'agenda', 'attention', 'occurrences', 'flows', 'vault', 'log', 'parties', 'tokens']
    const faults: string[] = []
    for (const colours of ['light', 'dark'] as const) {
      const page = await enter({ ...desk, colours })
      const all = [...views, 'panel/bells', `state/${belfry.ref}`, `flow/${belfry.flow}`]
      // At night only the colours are others.
      for (const view of colours === 'light' ? all : ['overview', 'attention', `state/${belfry.ref}`]) {
        await goTo(page, view)
        for (const fault of await accessibilityFaults(page)) faults.push(`${colours} ${view}: ${fault}`)
        const [name = view] = view.split('/')
        await photograph(page, colours === 'light' ? name : `${name}-dark`)
      }
    }
    expect(faults).to.deep.equal([])
  })

  it('shows what happens as it happens', async () => {
    const page = await enter()
    const before = Number(await page.textContent('.figure .value'))
    await belfry.node.run(Hang, { name: 'Live', minutes: 900, manner: 'plain' })
    await until(page, `Number(document.querySelector('.figure .value').textContent) === ${before + 1}`)
  })

  it('retries and dismisses what needs attention, after asking', async () => {
    const page = await enter()
    await goTo(page, 'attention')
    const cases = await page.locator('.cases li').count()
    await page.getByRole('button', { name: 'Dismiss' }).first().click()
    await page.getByRole('group', { name: 'It will not be started again.' }).waitFor()
    const focused = 'document.activeElement.textContent'
    expect(await page.evaluate(focused), 'where Enter does no harm').to.equal('Back')
    await page.keyboard.press('Escape')
    await until(page, `${focused} === 'Dismiss'`)
    await page.keyboard.press('Enter')
    await page.getByRole('group', { name: 'It will not be started again.' }).waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).first().click()
    await until(page, `document.querySelectorAll('.cases li').length === ${cases - 1}`)
  })

  it('finds a state in the vault and tells why', async () => {
    const page = await enter()
    await page.keyboard.press('/')
    await page.waitForSelector('input[type=search]:focus')
    await page.keyboard.type('denis')
    await until(page, `document.querySelectorAll('.row').length === 1`)
    await page.click('.row a')
    await page.waitForSelector('.verdict')
    expect(await page.textContent('.verdict')).to.contain('It is on the agenda')
    await page.waitForSelector('.graph .state.here')
    // What can be done about it follows from how its activity stands.
    const buttons = () => page.locator('.acts button').allTextContents()
    expect(await buttons()).to.deep.equal(['Run now', 'Pause'])
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    expect(await buttons()).to.deep.equal(['Resume', 'Run now'])
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
  })

  it('goes on with a search that finds nothing among the first of many states', async () => {
    const page = await enter()
    // As a vault with tens of thousands of states answers: so many were looked at, go on there.
    await page.route(/states\?.*text=denis/, async (route) => {
      const after = Number(new URL(route.request().url()).searchParams.get('after') ?? 0)
      if (after < 2) await route.fulfill({ json: { items: [], next: String(after + 1) } })
      else
        await route.continue({
          url: route
            .request()
            .url()
            .replace(/&after=\d+/, ''),
        })
    })
    await goTo(page, 'vault')
    await page.fill('input[type=search]', 'denis')
    await until(page, `document.querySelectorAll('.row').length === 1`)
  })

  it('shows an event beside the list of events, and closes it by Escape', async () => {
    const page = await enter()
    await goTo(page, 'log')
    await page.locator('.type button').first().click()
    const detail = page.getByRole('complementary', { name: /^Event / })
    await detail.waitFor()
    await until(page, `document.querySelector('.detail pre') !== null`)
    const [list, opened] = await Promise.all([page.locator('.beside > .card').boundingBox(), detail.boundingBox()])
    expect(opened!.x, 'to the right of the list').to.be.at.least(list!.x + list!.width)
    expect(opened!.y + opened!.height, 'not below the fold').to.be.at.most(desk.height)
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await page.keyboard.press('Escape')
    await detail.waitFor({ state: 'detached' })
  })

  it('starts a flow and tells its story', async () => {
    const page = await enter()
    await goTo(page, 'flows')
    await page.locator('form.start select').selectOption('belfry/Hang')
    expect(await page.getByLabel('Input').inputValue(), 'an outline').to.match(/^\{"name":"","minutes":0,"manner":/)
    await page.getByLabel('Input').fill('{"name":')
    await page.keyboard.press('Enter')
    await page.getByText('This is not JSON').waitFor()
    await page.getByLabel('Input').fill('{"name":"Typed","minutes":60,"manner":"plain"}')
    await page.keyboard.press('Enter')
    await page
      .getByRole('group', { name: 'Start belfry/Hang with this input?' })
      .getByRole('button', { name: 'Start' })
      .click()
    await until(page, `document.querySelector('.row .grow a')?.textContent === 'belfry/Hang'`)
    await page.click('.row .grow a')
    await page.waitForSelector('.story')
    expect(await page.textContent('.story')).to.contain('transaction recorded')
  })

  it("draws the app's panel and takes its actions", async () => {
    const page = await enter()
    await goTo(page, 'panel/bells')
    await page.getByRole('button', { name: 'Hang a bell …' }).click()
    await page.getByLabel('Name').fill('Georgette')
    await page.getByRole('button', { name: 'Hang a bell' }).click()
    await page.waitForSelector('.said')
    expect(await page.textContent('.said')).to.equal('Georgette hangs.')
    await until(page, `document.querySelector('table').textContent.includes('Georgette')`)
  })

  it('turns the clock of a run in virtual time', async () => {
    const page = await enter()
    const before = belfry.virtual.clock.now()
    await page.getByRole('button', { name: 'Jump to what is due next' }).click()
    await until(
      page,
      `!document.querySelector('.clock').textContent.startsWith(${JSON.stringify(new Date(before).toISOString().slice(0, 19).replace('T', ' '))})`,
    )
    expect(belfry.virtual.clock.now()).to.be.greaterThan(before)
  })

  it('says that the node does not answer, and goes on by itself when it is back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-dashboard-'))
    const localToken = readLocalToken(folder)
    const { node } = belfry
    const first = await serveHttp({ node }, { localToken })
    const port = Number(new URL(first.url).port)
    const page = await browser.page()
    await page.goto(first.newLink())
    await page.waitForSelector('.figures')
    await first.close()
    await page.waitForSelector('.notice')
    expect(await page.textContent('.notice')).to.contain('goes on by itself')
    expect(await page.locator('.figures').count(), 'what was known stays in sight').to.equal(1)
    await goTo(page, 'vault')
    await page.getByText('It may have stopped').waitFor()
    const second = await serveHttp({ node }, { port, localToken })
    await until(page, `document.querySelector('.notice') === null`)
    await until(page, `document.querySelectorAll('.row').length > 5`)
    await second.close()
    // Another secret, as when the store is another one: the session is not known any more.
    const third = await serveHttp({ node }, { port })
    await page.waitForSelector('.sign-in')
    expect(await page.textContent('.sign-in .trouble')).to.contain('The session is over')
    await third.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('fits a phone on every view, with every state and its reasons a tap away', async () => {
    const page = await enter({ width: 390, height: 800, colours: 'light' })
    const views = ['agenda', 'attention', 'occurrences', 'flows', 'vault', 'log', 'parties', 'tokens', 'panel/bells']
    for (const view of [...views, `state/${belfry.ref}`, `flow/${belfry.flow}`]) {
      await goTo(page, view)
      expect(await page.evaluate('document.documentElement.scrollWidth'), view).to.be.at.most(390)
    }
    for (const view of ['occurrences', 'vault']) {
      await goTo(page, view)
      await page.locator('.row a[href^="#/state/"]').first().click()
      await page.waitForSelector('.verdict')
    }
    await goTo(page, 'agenda')
    await page.locator('.labels span').nth(1).waitFor()
    const overlapping = `(() => {
      const boxes = [...document.querySelectorAll('.labels span')].map((label) => label.getBoundingClientRect())
      boxes.sort((a, b) => a.left - b.left)
      return boxes.some((box, index) => index > 0 && box.left < boxes[index - 1].right)
    })()`
    for (let zoom = 0; zoom < 9; zoom += 1) {
      expect(await page.evaluate(overlapping), `labels at ${String(await page.textContent('.zoom'))}`).to.equal(false)
      await page.getByRole('button', { name: 'Zoom out' }).click()
      await page.waitForTimeout(150)
    }
  })

  it('can be used with the keyboard alone, and read on a phone', async () => {
    const page = await enter()
    await page.keyboard.press('5')
    await until(page, `location.hash === '#/flows'`)
    const phone = await enter({ width: 390, height: 800, colours: 'dark' })
    expect(await phone.evaluate('document.documentElement.scrollWidth')).to.be.at.most(390)
    await photograph(phone, 'phone')
    await phone.getByRole('button', { name: 'Menu' }).click()
    await phone.getByRole('link', { name: 'Vault' }).click()
    await until(phone, `location.hash === '#/vault'`)
    expect(await accessibilityFaults(phone)).to.deep.equal([])
  })

  it('met no error on the way but the refusals that were provoked', () => {
    expect(troubles.filter((text) => !text.includes('401'))).to.deep.equal([])
  })
})
