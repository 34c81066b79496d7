/**
 * How the dashboard fares with much data: npm run load:dashboard, or with other numbers of pending activities and events
 * behind it. Every view is opened in a real Chromium while activities fire, and scrolled; a view is smooth when no frame
 * takes long.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { startNode } from '../../../src/index.js'
import { serveHttp } from '../../../src/entries/http.js'
import { repository } from '../../docs/pages.js'
import { Browser } from '../Browser.js'
import { crowd, fill, keepBusy } from './crowd.js'

const [pending = 100_000, events = 1_000_000] = process.argv.slice(2).map(Number)
const views = ['overview', 'agenda', 'attention', 'occurrences', 'flows', 'vault', 'log'] as const
const scrollMs = 3_000

/** Opens a view and says how long it took until nothing was waited for any more. */
const openView = async (page: Page, view: string): Promise<number> => {
  const startedMs = performance.now()
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`)
  await page.waitForTimeout(20)
  while ((await page.evaluate(`document.querySelector('main .waiting') === null`)) !== true)
    await page.waitForTimeout(5)
  return performance.now() - startedMs
}

type Frames = { readonly frames: number; readonly longestMs: number; readonly above50: number }

/** Scrolls down for a while and measures the frames meanwhile. */
const scroll = async (page: Page): Promise<Frames> => {
  const measured = page.evaluate<Frames>(`new Promise((resolve) => {
    const gaps = []
    const startedMs = performance.now()
    let lastMs = startedMs
    const frame = (nowMs) => {
      gaps.push(nowMs - lastMs)
      lastMs = nowMs
      if (nowMs - startedMs < ${scrollMs}) requestAnimationFrame(frame)
      else resolve({ frames: gaps.length, longestMs: Math.max(...gaps), above50: gaps.filter((gap) => gap > 50).length })
    }
    requestAnimationFrame(frame)
  })`)
  await page.mouse.move(640, 500)
  for (let turn = 0; turn < scrollMs / 100; turn++) {
    await page.mouse.wheel(0, 600)
    await page.waitForTimeout(60)
  }
  return measured
}

if (!existsSync(join(repository, 'dist/dashboard/index.html')))
  await build({ configFile: join(repository, 'src/dashboard/vite.config.ts') })
const folder = mkdtempSync(join(tmpdir(), 'carillon-dashboard-load-'))
const node = await startNode({ app: crowd, store: folder })
const browser = await Browser.open()
try {
  console.log(
    `laying out ${events.toLocaleString('en')} events and ${pending.toLocaleString('en')} pending activities …`,
  )
  await fill(node, pending, events)
  await keepBusy(node, 20)
  const server = await serveHttp({ node })
  const page = await browser.page()
  const enteredMs = performance.now()
  await page.goto(server.newLink())
  await page.waitForSelector('.figures')
  console.log(`first page after ${Math.round(performance.now() - enteredMs)} ms\n`)
  console.log('view          opened   elements   frames/s   longest frame   frames over 50 ms')
  for (const view of views) {
    const openedMs = await openView(page, view)
    const { frames, longestMs, above50 } = await scroll(page)
    const elements = await page.evaluate<number>(`document.querySelectorAll('*').length`)
    console.log(
      [
        view.padEnd(12),
        `${Math.round(openedMs)} ms`.padStart(8),
        String(elements).padStart(10),
        String(Math.round(frames / (scrollMs / 1_000))).padStart(10),
        `${Math.round(longestMs)} ms`.padStart(15),
        String(above50).padStart(19),
      ].join(''),
    )
  }
  await server.close()
} finally {
  await browser.close()
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
}
