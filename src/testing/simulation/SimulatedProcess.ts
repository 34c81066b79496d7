/**
 * Which version of the app the processes of a party run, one process after the other, and which of them leads.
 */
import type { App } from '../../app/App.js'

export class SimulatedProcess {
  readonly #versions: readonly App[]
  readonly #watch: (app: App, leads: () => boolean) => App
  #version: number
  #count = 0

  /** `watch` gives the app that a process runs, and can ask whether that process still leads. */
  constructor(versions: readonly App[], first: number, watch: (app: App, leads: () => boolean) => App) {
    this.#versions = versions
    this.#version = first
    this.#watch = watch
  }

  /** The app of a new process, which leads from now on. */
  begin(): App {
    const number = ++this.#count
    return this.#watch(this.app, () => this.#count === number)
  }

  /** Whether there is a later version; if so, the next process runs one that is so many later, or the last. */
  upgrade(by: number): boolean {
    const last = this.#versions.length - 1
    if (this.#version === last) return false
    this.#version = Math.min(this.#version + by, last)
    return true
  }

  /** The version it runs, without anything that watches it. */
  get app(): App {
    const app = this.#versions[this.#version]
    if (app === undefined) throw new RangeError(`There is no version ${this.#version} of the app.`)
    return app
  }
}
