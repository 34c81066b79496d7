/** The dashboard lets an operator tell a flow something, and act on all flows of a list. */
import { join } from 'node:path'
import { expect } from 'chai'
import * as t from 'io-ts'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { defineApp, defineFlow, defineSignal, NoInputC, parkFlow, type FlowBody } from '../../src/index.js'
import { serveHttp, type HttpServer } from '../../src/entries/http.js'
import { VirtualNode } from '../../src/testing/index.js'
import { newTokenText } from '../../src/http/TokenText.js'
import { repository } from '../docs/pages.js'
import { accessibilityFaults, Browser, desk, until } from './Browser.js'

const Approve = defineSignal({ name: 'desk/Approve', data: t.strict({ yes: t.boolean, note: t.string }) })
const Reject = defineSignal({ name: 'desk/Reject', data: t.strict({}) })

const undone: string[] = []

const Buy = defineFlow({
  name: 'desk/Buy',
  input: t.strict({ what: t.string }),
  *run(io, { what }): FlowBody<string> {
    try {
      const { data, by } = yield* io.signal(Approve)
      return `${what}: ${data.yes ? 'approved' : 'refused'} by ${by}, ${data.note}`
    } catch (error) {
      yield* io.step('undo', () => {
        undone.push(what)
      })
      throw error
    }
  },
})

let hasLadder = false

const Climb = defineFlow({
  name: 'desk/Climb',
  input: NoInputC,
  *run(io): FlowBody<string> {
    yield* io.step(
      'climb',
      () => {
        if (!hasLadder) throw parkFlow('the ladder is missing')
      },
      { retry: { attempts: 1 }, whenExhausted: 'park' },
    )
    return 'up'
  },
})

describe('the dashboard, about flows that wait', () => {
  let virtual: VirtualNode
  let server: HttpServer
  let browser: Browser

  before(async () => {
    // From the sources as they are, and not from what was built last.
    await build({ configFile: join(repository, 'src/dashboard/vite.config.ts'), logLevel: 'silent' })
    const app = defineApp({ name: 'desk', states: [], flows: [Buy, Climb], signals: [Approve, Reject] })
    virtual = await VirtualNode.start({ app })
    server = await serveHttp({ node: virtual.node }, { localToken: newTokenText().text })
    browser = await Browser.open()
  })
  afterEach(() => browser.closePages())
  after(async () => {
    await browser.close()
    await server.close()
    await virtual.stop()
  })

  const enter = async (view: string): Promise<Page> => {
    const page = await browser.page(desk)
    await page.goto(server.newLink())
    await page.waitForSelector('.figures')
    await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`)
    await until(page, `document.querySelector('main .waiting') === null`)
    return page
  }

  it('offers the signal that a flow waits for first, with an example, and sends what is typed', async () => {
    const { id } = await virtual.node.start(Buy, { what: 'a lamp' })
    await virtual.runUntilQuiet()
    const page = await enter(`flow/${id}`)
    await page.getByText('It waits for desk/Approve.').waitFor()
    expect(await page.getByLabel('Signal').inputValue()).to.equal('desk/Approve')
    expect(JSON.parse(await page.getByLabel('Data').inputValue())).to.have.keys('yes', 'note')
    expect(await accessibilityFaults(page)).to.deep.equal([])

    await page.getByLabel('Data').fill('{"yes":')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('This is not JSON').waitFor()
    await page.getByLabel('Data').fill('{"yes":"perhaps","note":""}')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('does not fit its codec').waitFor()
    await page.getByLabel('Data').fill('{"yes":true,"note":"seen in a browser"}')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('a lamp: approved by').first().waitFor()
    expect(await virtual.node.resultOf(id)).to.match(/^a lamp: approved by .*, seen in a browser$/)
    expect(await page.getByLabel('Signal').count(), 'none can be sent to one that has ended').to.equal(0)
  })

  it('keeps a signal that the flow does not wait for, and shows it', async () => {
    const { id } = await virtual.node.start(Buy, { what: 'a chair' })
    await virtual.runUntilQuiet()
    const page = await enter(`flow/${id}`)
    await page.getByLabel('Signal').selectOption('desk/Reject')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Signals not taken').waitFor()
    await page.getByText(/^desk\/Reject by /).waitFor()
    await virtual.node.killFlow(id)
  })

  it('retries all parked flows of a list', async () => {
    const started = await Promise.all([1, 2, 3].map(() => virtual.node.start(Climb, {})))
    await virtual.runUntilQuiet()
    const page = await enter('flows')
    expect(await page.getByRole('button', { name: 'Retry all' }).count(), 'only where the parked are listed').to.equal(
      0,
    )
    await page.getByRole('button', { name: /^Parked/ }).click()
    hasLadder = true
    await page.getByRole('button', { name: 'Retry all' }).click()
    await page.getByText('There are no such flows.').waitFor()
    for (const { id } of started) expect(await virtual.node.resultOf(id)).to.equal('up')
  })

  it('cancels all flows that are under way, after asking, and they undo what they did', async () => {
    for (const what of ['a desk', 'a shelf']) await virtual.node.start(Buy, { what })
    await virtual.runUntilQuiet()
    const page = await enter('flows')
    await page.getByRole('button', { name: /^Under way/ }).click()
    await page.getByRole('button', { name: 'Cancel all' }).click()
    const asking = page.getByRole('group', { name: /^All flows of this list undo what they have done/ })
    await asking.waitFor()
    expect(undone).to.deep.equal([])
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await asking.getByRole('button', { name: 'Cancel all' }).click()
    await page.getByText('There are no such flows.').waitFor()
    expect(undone.sort()).to.deep.equal(['a desk', 'a shelf'])
  })
})
