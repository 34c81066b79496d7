import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { createChoresApp } from '../../samples/chores/app.js'
import { choresPanel } from '../../samples/chores/panel.js'
import { agree, announce, names, partiesOf, startSwapNetwork } from '../../samples/interest-rate-swap/network.js'
import { swapsPanel } from '../../samples/interest-rate-swap/panel.js'
import { exampleRates, exampleTrade } from '../../samples/interest-rate-swap/trades.js'
import { recurringTasks } from '../../samples/recurring-tasks/app.js'
import { root, signed } from '../../samples/recurring-tasks/model/Origin.js'
import { tasksPanel } from '../../samples/recurring-tasks/panel.js'
import { TaskRegistry } from '../../samples/recurring-tasks/TaskRegistry.js'
import { signaturesPanel } from '../../samples/scheduled-transactions/panel.js'
import { Scene } from '../../samples/scheduled-transactions/test/Scene.js'
import { startNode } from '../../src/index.js'
import { ClockControl, serveHttp, type HttpServer } from '../../src/entries/http.js'
import { VirtualNode } from '../../src/testing/index.js'
import { repository } from '../docs/pages.js'
import { accessibilityFaults, Browser, desk, until } from './Browser.js'
import { builtDashboard } from './builtDashboard.js'

const takesPictures = process.env['UPDATE_DOCS'] === '1'

/** Whether a label below a bar runs into the next one; it is wider than the bar, so its text is measured. */
const labelsOverlap = `(() => {
  const boxes = [...document.querySelectorAll('.bars span')].filter((label) => label.textContent !== '').map((label) => {
    const range = document.createRange()
    range.selectNodeContents(label)
    return range.getBoundingClientRect()
  })
  return boxes.some((box, index) => index > 0 && box.left < boxes[index - 1].right)
})()`

describe("the samples' panels in a real browser", function () {
  let server: HttpServer
  let browser: Browser
  let page: Page
  const closing: (() => Promise<unknown>)[] = []

  const openTasks = async () => {
    const virtual = await VirtualNode.start({ app: recurringTasks(), party: 'Registrar' })
    const registry = await TaskRegistry.open(virtual.node)
    await registry.endow('ada', 1_000_000, root)
    const slots = await registry.nextFreeSlots(8, Math.floor(virtual.clock.now() / 1_000))
    await registry.scheduleNotifyTask(signed('ada'), 'bell', slots, 'the hour has struck')
    await registry.scheduleNotifyTask(signed('ada'), 'tea', slots.slice(2, 4), 'it is ready')
    closing.push(() => virtual.stop())
    return { node: virtual.node, panels: [tasksPanel] }
  }
  const openSignatures = async () => {
    const scene = await Scene.open()
    await scene.people('Alice', 'Bob', 'Carol')
    await scene.created(scene.transfers({ Alice: -10, Bob: -10, Carol: 20 }), { as: 'Alice', signs: ['Alice'] })
    const people = new Map(['Alice', 'Bob', 'Carol'].map((name) => [scene.id(name), name]))
    closing.push(() => scene.virtual.stop())
    return { node: scene.virtual.node, panels: [signaturesPanel(() => people)] }
  }
  const openChores = async () => {
    const chores = createChoresApp()
    const node = await startNode({ app: chores.app, party: 'Caretaker' })
    await chores.connect(node)
    closing.push(() => node.stop())
    return { node, panels: [choresPanel(chores.engine)] }
  }
  const openSwaps = async () => {
    const network = await startSwapNetwork({ development: false })
    await announce(network, exampleRates)
    await agree(network, exampleTrade(partiesOf(network), '2017-03-11'))
    await network.advanceBy({ days: 200 })
    const nodes = Object.values(names).map((name) => network.node(name))
    closing.push(async () => {
      for (const name of Object.values(names)) await network.stop(name)
    })
    const clock = new ClockControl(network.clock, () => nodes)
    return { node: network.node(names.fixedPayer), panels: [swapsPanel], clock }
  }

  before(async () => {
    await builtDashboard()
    server = await serveHttp([await openSwaps(), await openTasks(), await openSignatures(), await openChores()])
    browser = await Browser.open()
    page = await browser.page(desk)
    await page.goto(server.newLink())
    await page.waitForSelector('.figures')
  })
  after(async () => {
    await browser.close()
    await server.close()
    for (const close of closing) await close()
  })

  const see = async (node: string, panel: string, words: string): Promise<void> => {
    await page.locator('select.node').selectOption(node)
    await page.evaluate(`location.hash = '#/panel/${panel}'`)
    await until(page, `document.querySelector('main').textContent.includes(${JSON.stringify(words)})`)
    if (takesPictures) await page.screenshot({ path: join(repository, `docs/pictures/${panel}.png`) })
    expect(await accessibilityFaults(page), panel).to.deep.equal([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate('document.documentElement.scrollWidth'), `${panel} on a phone`).to.be.at.most(390)
    expect(await page.evaluate(labelsOverlap), `labels of ${panel} on a phone`).to.equal(false)
    const spilling = `[...document.querySelectorAll('.figure')].filter((each) => each.scrollWidth > each.clientWidth).length`
    expect(await page.evaluate(spilling), `figures of ${panel} on a phone`).to.equal(0)
    await page.setViewportSize(desk)
  }

  it('give time the width of a phone, on which no mark leaves its track', async () => {
    await see(names.fixedPayer, 'swaps', 'Cash flows of example')
    await page.setViewportSize({ width: 360, height: 740 })
    const widths = `[...document.querySelectorAll('.track')].map((track) => track.getBoundingClientRect().width)`
    for (const width of await page.evaluate<readonly number[]>(widths)) expect(width).to.be.greaterThan(270)
    const outside = `[...document.querySelectorAll('.track')].flatMap((track) => {
      const { left, right } = track.getBoundingClientRect()
      return [...track.querySelectorAll('.mark')].filter((mark) => {
        const box = mark.getBoundingClientRect()
        return box.left < left || box.right > right
      })
    }).length`
    expect(await page.evaluate(outside)).to.equal(0)
    await page.setViewportSize(desk)
  })

  it('show the fixings and cash flows of a swap, and turn its clock, which the other nodes do not share', async () => {
    await see(names.fixedPayer, 'swaps', 'Cash flows of example')
    const paid = `[...document.querySelectorAll('tbody tr')].filter((row) => row.textContent.includes('paid')).length`
    const before = Number(await page.evaluate(paid))
    // Jumps that are asked for while one is under way are one, so a busy machine needs more of them.
    for (let turn = 0; turn < 20 && Number(await page.evaluate(paid)) <= before; turn += 1) {
      await page.getByRole('button', { name: 'Jump to what is due next' }).click()
      await page.waitForTimeout(250)
    }
    await until(page, `${paid} > ${before}`)
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Play' }).waitFor()
  })

  it('stay with the node that was chosen when the page is loaded again, and show the checkpoints it keeps', async () => {
    await page.locator('select.node').selectOption(names.fixedPayer)
    await page.evaluate(`location.hash = '#/parties'`)
    await page.reload()
    await page.getByRole('table', { name: 'Checkpoints' }).waitFor()
    expect(await page.locator('select.node').inputValue()).to.equal(names.fixedPayer)
    const rows = await page.getByRole('table', { name: 'Checkpoints' }).getByRole('row').allTextContents()
    expect(rows.find((row) => row.startsWith(names.notary))).to.match(/ago|now/)
  })

  it('show slots, queues and tasks, and cancel one after asking', async () => {
    await see('Registrar', 'tasks', 'ada/tea')
    expect(await page.getByRole('group', { name: 'Virtual clock' }).count()).to.equal(0)
    const row = page.locator('tr', { hasText: 'ada/tea' })
    await row.getByRole('button', { name: 'Cancel' }).click()
    await row.getByRole('group', { name: 'It leaves all its slots; nothing is refunded.' }).waitFor()
    await row.getByRole('button', { name: 'Cancel' }).first().click()
    await until(page, `!document.querySelector('main').textContent.includes('ada/tea')`)
  })

  it('show who has signed a scheduled transaction and who is missing', async () => {
    await see('Operator', 'signatures', 'Alice −10, Bob −10, Carol +20')
    const [row = ''] = await page.locator('tbody tr').allTextContents()
    expect(row).to.match(/1 of 2.*Alice.*Bob/)
  })

  it('show the lamps of the chores, and start one', async () => {
    await see('Caretaker', 'chores', 'Archive proposals')
    const bulb = page.locator('.bulb', { hasText: 'Archive proposals' })
    await bulb.getByRole('button', { name: 'Start' }).click()
    await bulb.getByRole('button', { name: 'Pause' }).waitFor()
  })
})
