/**
 * `carillon ready`: whether the running node takes work, for scripts and probes. Exit code 1 while it does not.
 */
import { Option, type Command } from 'commander'
import { CarillonError } from '../../errors/CarillonError.js'
import { ReadyC } from '../../http/answers.js'
import { NodeApi, type NodePlace } from '../NodeApi.js'
import type { Terminal } from '../Terminal.js'
import { pauseFor, untilSignalled } from '../untilSignalled.js'
import { apiVerb, wholeNumber, type ApiOptions } from '../verb.js'
import { printLine } from '../print.js'

type Options = ApiOptions & { readonly wait?: number }

const lookAgainMs = 250

/** Rejects with why it is not, once the patience is over. */
const untilReady = async (place: NodePlace, patienceMs: number): Promise<void> => {
  const stopped = untilSignalled()
  for (const deadline = performance.now() + patienceMs; ;) {
    try {
      await NodeApi.at(place).get('/ready', {}, ReadyC)
      return
    } catch (error) {
      if (!(error instanceof CarillonError) || performance.now() >= deadline || stopped.aborted) throw error
    }
    await pauseFor(lookAgainMs, stopped)
  }
}

export const readyVerb = (terminal: Terminal): Command =>
  apiVerb('ready', 'say whether the running node takes work; exit code 1 when it does not', [
    'ready',
    'ready --wait 30',
  ])
    .addOption(new Option('--wait <seconds>', 'wait so long for it, if need be').argParser(wholeNumber(0)))
    .action(async ({ json, wait = 0, ...place }: Options) => {
      await untilReady(place, wait * 1_000)
      printLine(terminal, json, { ready: true }, 'The node takes work.')
    })
