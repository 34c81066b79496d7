/**
 * `--watch`: a verb that looks is asked again and again until Ctrl-C. On a terminal each answer takes the place of the
 * one before; in a pipe an answer is written when it differs from the last.
 */
import { Option } from 'commander'
import { isNodeAway, tellNodeAway } from './nodeAway.js'
import type { Terminal } from './Terminal.js'
import { pauseFor, untilSignalled } from './untilSignalled.js'
import { wholeNumber } from './verb.js'

const defaultSeconds = 2

export const watchOption = (): Option =>
  new Option('--watch [seconds]', 'look again every so many seconds (2), until Ctrl-C')
    .argParser(wholeNumber(1))
    .preset(String(defaultSeconds))

/** Commander gives an action its arguments, then the options, then the command. */
const secondsIn = (args: readonly unknown[]): number | undefined => {
  const options: unknown = args.at(-2)
  if (typeof options !== 'object' || options === null || !('watch' in options)) return undefined
  return typeof options.watch === 'number' ? options.watch : undefined
}

/** What an action writes, kept until it is whole. */
const collecting = (terminal: Terminal): { readonly screen: Terminal; readonly lines: readonly string[] } => {
  const lines: string[] = []
  const keep = (line: string): void => {
    lines.push(line)
  }
  return { screen: { ...terminal, out: keep, err: keep }, lines }
}

/** An action that can be watched: it writes to the terminal it is given, once, or again and again. */
export const watching =
  <A extends readonly unknown[]>(
    terminal: Terminal,
    act: (terminal: Terminal) => (...args: A) => void | Promise<void>,
    untilStopped: () => AbortSignal = untilSignalled,
  ) =>
  async (...args: A): Promise<void> => {
    const seconds = secondsIn(args)
    if (seconds === undefined) return act(terminal)(...args)
    const stopped = untilStopped()
    let before: string | undefined
    let isAway = false
    while (!stopped.aborted) {
      const { screen, lines } = collecting(terminal)
      try {
        await act(screen)(...args)
        const text = lines.join('\n')
        if (text !== before || isAway) terminal.redraw(lines)
        before = text
        isAway = false
      } catch (error) {
        // A node that is not there at the beginning is an error; one that was there may be back at the next look.
        if (before === undefined || !isNodeAway(error)) throw error
        if (!isAway) tellNodeAway(terminal)
        isAway = true
      }
      await pauseFor(seconds * 1_000, stopped)
    }
  }
