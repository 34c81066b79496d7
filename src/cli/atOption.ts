/**
 * `--at`, and other options that name a moment of the past: a revision, or an instant.
 */
import { InvalidArgumentError, Option } from 'commander'
import { messageOf } from '../errors/CarillonError.js'
import { parseMoment, revisionIn, type Moment } from '../history/moment.js'
import { TimeMachine } from '../history/TimeMachine.js'
import { withProgress } from './ProgressBar.js'
import { storedNode } from './storedNode.js'
import type { Terminal } from './Terminal.js'

export const momentValue = (text: string): Moment => {
  try {
    return parseMoment(text)
  } catch (error) {
    throw new InvalidArgumentError(`It must be a revision or an instant. ${messageOf(error)}`)
  }
}

export const atOption = (what: string): Option =>
  new Option('--at <moment>', `${what} as it was right after a revision, or at an instant`).argParser(momentValue)

/** Folds the log of a store up to a moment, and asks about it. Nothing is written to the store. `goesTo` is later. */
export const withPast = async <A>(
  terminal: Terminal,
  store: string,
  moment: Moment,
  ask: (machine: TimeMachine) => Promise<A>,
  goesTo: Moment = moment,
): Promise<A> => {
  const node = storedNode(store)
  const [revision, last] = [await revisionIn(node, moment), await revisionIn(node, goesTo)]
  return withProgress(
    terminal,
    'Folding',
    async (onProgress) => {
      const machine = await TimeMachine.at({ read: (from) => node.readLog(from) }, revision, { onProgress })
      try {
        return await ask(machine)
      } finally {
        machine.close()
      }
    },
    last + 1,
  )
}
