/**
 * A real Chromium with a page in it, and what a person or a checker does with a page.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser as Chromium, type Page } from 'playwright-core'

/** A Chromium that is installed is quicker to start than one that has to be unpacked first. */
const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** As a browser comes, but for what a container lacks: its sandbox needs privileges, and its shared memory is small. */
const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Found = { readonly id: string; readonly help: string; readonly nodes: readonly { readonly html: string }[] }

export type Look = {
  readonly width: number
  readonly height: number
  readonly colours: 'light' | 'dark'
}

export const desk: Look = { width: 1280, height: 860, colours: 'light' }

export class Browser {
  readonly #chromium: Chromium

  private constructor(chromiumProcess: Chromium) {
    this.#chromium = chromiumProcess
  }

  static async open(): Promise<Browser> {
    const executablePath = installed.find(existsSync) ?? (await chromium.executablePath())
    return new Browser(await playwright.launch({ executablePath, args, headless: true }))
  }

  async page({ width, height, colours }: Look = desk): Promise<Page> {
    const context = await this.#chromium.newContext({ viewport: { width, height }, colorScheme: colours })
    return context.newPage()
  }

  async closePages(): Promise<void> {
    for (const context of this.#chromium.contexts()) await context.close()
  }

  close(): Promise<void> {
    return this.#chromium.close()
  }
}

/** What axe has to say against a page, in a line each. */
export const accessibilityFaults = async (page: Page): Promise<readonly string[]> => {
  // Through the debugger and not as a script of the page, which the content policy would refuse.
  await page.evaluate(axe)
  const found = await page.evaluate<{ readonly violations: readonly Found[] }>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'] })`,
  )
  return found.violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  )
}

const patienceMs = 20_000

/** Waits until an expression holds in the page. Asked for from outside, since the content policy forbids the page to. */
export const until = async (page: Page, expression: string): Promise<void> => {
  const untilMs = Date.now() + patienceMs
  while ((await page.evaluate(expression)) !== true) {
    if (Date.now() > untilMs) throw new Error(`it never came true in the page: ${expression}`)
    await page.waitForTimeout(40)
  }
}
