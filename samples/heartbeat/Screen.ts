/**
 * What the sample says to whoever watches it: plain lines, with colour only where a terminal shows it.
 */
import type { Instant } from 'carillon'
import type { Heart } from './Heart.js'
import type { Beaten } from './flows/Beat.js'
import type { Skipped } from './flows/SkipMissedBeats.js'

const count = (n: number, noun: string): string => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`

/** A span of time as people say it. */
export const span = (ms: number): string => {
  if (ms < 1_000) return `${ms} ms`
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 7_200_000) return `${(ms / 60_000).toFixed(1)} min`
  return `${(ms / 3_600_000).toFixed(1)} h`
}

const late = (ms: number): string => (ms <= 0 ? 'on time' : `${span(ms)} late`)
const clockTime = (at: Instant): string => at.slice(11)
const every = (ms: number): string => (ms === 1_000 ? 'second' : span(ms))

export class Screen {
  readonly #write: (text: string) => void
  readonly #colours: boolean

  constructor(out: NodeJS.WriteStream) {
    this.#write = (text) => out.write(text)
    this.#colours = out.isTTY && process.env['NO_COLOR'] === undefined
  }

  #paint(code: number, text: string): string {
    return this.#colours ? `\u001b[${code}m${text}\u001b[0m` : text
  }

  readonly #dim = (text: string): string => this.#paint(2, text)
  readonly #bold = (text: string): string => this.#paint(1, text)

  say(...lines: readonly string[]): void {
    this.#write(`${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`)
  }

  title(store: string): void {
    this.say(
      '',
      `${this.#bold('Carillon heartbeat')}${this.#dim(`  ·  process ${process.pid}  ·  store ${store}`)}`,
      '',
    )
  }

  born({ name, intervalMs, nextBeatAt }: Pick<Heart, 'name' | 'intervalMs' | 'nextBeatAt'>): void {
    this.say(
      `A heart named ${name} has been started. It beats every ${every(intervalMs)}; each beat is a transaction`,
      `in the log, on disk before you read about it. The first is due at ${clockTime(nextBeatAt)}.`,
    )
  }

  found({ name, intervalMs, startedAt }: Heart): void {
    this.say(`Here is ${name} again, a heart that was started at ${startedAt} and beats every ${every(intervalMs)}.`)
  }

  away(due: Instant, latenessMs: number, missed: number, plan: string): void {
    this.say(`It was away: ${count(missed, 'beat')} fell due since ${due}, ${span(latenessMs)} ago.`, plan, '')
  }

  beat({ beat, due, latenessMs, nextBeatAt }: Beaten): void {
    const heart = this.#paint(beat % 2 === 0 ? 91 : 31, '♥')
    const number = String(beat).padStart(5)
    const times = `due ${clockTime(due)}  ${late(latenessMs).padEnd(13)}`
    this.say(`${heart} ${this.#bold(`beat ${number}`)}  ${times} ${this.#dim(`next ${clockTime(nextBeatAt)}`)}`)
  }

  skip({ skipped, nextBeatAt }: Skipped): void {
    this.say(
      `» ${count(skipped, 'beat')} skipped; the next one is due at ${clockTime(nextBeatAt)}, on the same grid.`,
      '',
    )
  }

  more({ beat, latenessMs }: Beaten): void {
    this.say(this.#dim(`… beat ${String(beat).padStart(5)}  and on, ${late(latenessMs)}`))
  }

  caughtUp(beats: number, tookMs: number): void {
    this.say('', `All ${count(beats, 'missed beat')} made up for, in ${span(Math.round(tookMs))}. Back in time.`, '')
  }

  hint(title: string, tips: readonly (readonly [does: string, command: string])[]): void {
    const width = Math.max(...tips.map(([does]) => does.length))
    this.say('', this.#bold(title), ...tips.map(([does, how]) => `  ${does.padEnd(width)}  ${this.#dim(how)}`), '')
  }

  trouble(what: string): void {
    this.say(this.#paint(33, what))
  }
}
