/** The dashboard lets an operator tell a flow something, and act on all flows of a list. */
import { expect } from 'chai'
import * as t from 'io-ts'
import type { Page } from 'playwright-core'
import { some } from 'fp-ts/lib/Option.js'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineSignal,
  defineState,
  InstantC,
  NoInputC,
  parkFlow,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
} from '../../src/index.js'
import { serveHttp, type HttpServer } from '../../src/entries/http.js'
import { VirtualNode } from '../../src/testing/index.js'
import { newTokenText } from '../../src/http/TokenText.js'
import { accessibilityFaults, Browser, desk, until } from './Browser.js'
import { builtDashboard } from './builtDashboard.js'

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

/** Has done something, and then waits for somebody. */
const Order = defineFlow({
  name: 'desk/Order',
  input: t.strict({ what: t.string }),
  *run(io, { what }): FlowBody<void> {
    yield* io.step('ask the supplier', () => `${what}: out of stock`)
    throw parkFlow('nobody has it in stock')
  },
})

const Reminder = defineState({
  type: 'desk/Reminder',
  data: t.strict({ owner: PartyC, at: InstantC }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ at }, ref) => some(Remind.at(at, { reminder: ref })),
})
const Remember = defineCommand({ type: 'desk/Remember' })
const Remind = defineFlow({
  name: 'desk/Remind',
  schedulable: true,
  input: t.strict({ reminder: StateRefC }),
  *run(io, { reminder }): FlowBody<void> {
    const found = yield* io.load(Reminder, reminder)
    yield* io.finalise((tx) => tx.consume(found).command(Remember, [io.me]))
  },
})
const Note = defineFlow({
  name: 'desk/Note',
  input: NoInputC,
  *run(io): FlowBody<void> {
    const at = plus(yield* io.now(), { minutes: 1 })
    yield* io.finalise((tx) => tx.produce(Reminder, { owner: io.me, at }).command(Remember, [io.me]))
  },
})

describe('the dashboard, about flows that wait', () => {
  let virtual: VirtualNode
  let server: HttpServer
  let browser: Browser

  before(async () => {
    await builtDashboard()
    const app = defineApp({
      name: 'desk',
      states: [Reminder],
      flows: [Buy, Climb, Order, Remind, Note],
      signals: [Approve, Reject],
    })
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

  it('starts nothing before a flow was chosen, and asks before it starts one', async () => {
    const page = await enter('flows')
    const start = page.locator('form.start')
    expect(await start.getByLabel('Flow').inputValue(), 'nothing is preselected').to.equal('')
    expect(await start.getByRole('button', { name: 'Start' }).isDisabled()).to.equal(true)
    const before = (await virtual.node.flows()).items.length
    await start.getByLabel('Flow').selectOption('desk/Note')
    await start.getByRole('button', { name: 'Start' }).click()
    const question = page.getByRole('group', { name: 'Start desk/Note with this input?' })
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect((await virtual.node.flows()).items.length, 'only asked').to.equal(before)
    await start.getByRole('button', { name: 'Start' }).click()
    await question.getByRole('button', { name: 'Start' }).click()
    await page.locator('.row', { hasText: 'desk/Note' }).first().waitFor()
    expect(await start.getByLabel('Flow').inputValue(), 'and again nothing is chosen').to.equal('')
    await virtual.advanceBy({ minutes: 2 })
  })

  it('shows of a parked flow its error with the stack, its record, and what can be done', async () => {
    const { id } = await virtual.node.start(Order, { what: 'a ladder' })
    await virtual.runUntilQuiet()
    const page = await enter(`flow/${id}`)
    await page.getByRole('heading', { name: 'What can be done' }).waitFor()
    const text = (await page.textContent('main')) ?? ''
    expect(text).to.contain('nobody has it in stock')
    expect(text, 'the line of the app').to.contain('flows.e2e.spec.ts')
    expect(text).to.contain('a ladder: out of stock')
    expect(text).to.contain('1 recorded operation.')
    expect(text).to.contain('carillon explain flow-parked')
    for (const name of ['Retry', 'Cancel', 'Kill'])
      expect(await page.getByRole('button', { name, exact: true }).count(), name).to.equal(1)
    expect(await accessibilityFaults(page)).to.deep.equal([])
  })

  it('counts parked flows alike on the overview, in the menu, under attention and in the list of flows', async () => {
    await virtual.node.start(Order, { what: 'a rope' })
    await virtual.runUntilQuiet()
    const { items } = await virtual.node.flows({ status: 'parked' })
    const page = await enter('overview')
    const figure = (label: string) => page.locator('.figure', { hasText: label })
    await until(page, `document.querySelector('nav .badge')?.textContent === '${items.length}'`)
    expect(await figure('Attention').locator('.value').textContent()).to.equal(String(items.length))
    expect(await figure('Flows under way').locator('.note').textContent()).to.equal(`${items.length} parked`)
    const underWay = await figure('Flows under way').locator('.value').textContent()
    await page.evaluate(`location.hash = '#/attention'`)
    await until(page, `document.querySelectorAll('.cases li').length === ${items.length}`)
    await page.evaluate(`location.hash = '#/flows'`)
    await page.getByRole('button', { name: /^Parked/ }).waitFor()
    expect(await page.getByRole('button', { name: /^Parked/ }).textContent()).to.equal(`Parked${items.length}`)
    expect(await page.getByRole('button', { name: /^Under way/ }).textContent()).to.equal(`Under way${underWay}`)
    await virtual.node.operateFlows('kill', { status: 'parked' })
    await virtual.runUntilQuiet()
  })

  it('says that all is well only when it is: not while it drains, is overdue, or holds something back', async () => {
    const page = await enter('overview')
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Attention' }) })
    const isSaid = async (what: string): Promise<void> => {
      await card.getByText(what).waitFor()
      expect(await card.getByText('All is well.').count(), what).to.equal(0)
    }
    await card.getByText('All is well.').waitFor()
    await virtual.node.run(Note, {})
    await virtual.node.drain()
    await isSaid('The node drains')
    await virtual.advanceBy({ minutes: 5 })
    // Nothing is recorded, so a page that is open does not hear that the virtual clock was turned.
    await page.reload()
    await isSaid('Work is overdue: the oldest was due 4 min ago.')
    await virtual.node.endDraining()
    await virtual.runUntilQuiet()
    await card.getByText('All is well.').waitFor()
    const { id } = await virtual.node.start(Buy, { what: 'a lamp' })
    await virtual.runUntilQuiet()
    await virtual.node.pauseFlow(id)
    await isSaid('1 flow is paused.')
    await virtual.node.killFlow(id)
    await card.getByText('All is well.').waitFor()
  })

  it('cancels all flows that are under way, after asking, and they undo what they did', async () => {
    for (const what of ['a desk', 'a shelf']) await virtual.node.start(Buy, { what })
    await virtual.runUntilQuiet()
    const page = await enter('flows')
    await page.getByRole('button', { name: /^Under way/ }).click()
    await page.getByRole('button', { name: 'Cancel all' }).click()
    const asking = page.getByRole('group', { name: /^All flows of this list are cancelled/ })
    await asking.waitFor()
    expect(undone).to.deep.equal([])
    expect(await accessibilityFaults(page)).to.deep.equal([])
    await asking.getByRole('button', { name: 'Cancel all' }).click()
    await page.getByText('There are no such flows.').waitFor()
    expect(undone.sort()).to.deep.equal(['a desk', 'a shelf'])
  })
})
