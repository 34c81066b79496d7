/**
 * `carillon drain`: nothing new is started until draining ends; what is under way goes on.
 */
import type { Command } from 'commander'
import type { DrainAction } from '../../operator/OperatorRequest.js'
import { carryOutAndSay } from '../carryOutAndSay.js'
import type { Terminal } from '../Terminal.js'
import { apiVerb, verbGroup, type ApiOptions } from '../verb.js'

const did: Readonly<Record<DrainAction, string>> = {
  start: 'The node drains: nothing new is started, what is under way goes on.',
  end: 'Draining has ended: what has become due meanwhile is started, in order.',
}

const act = (terminal: Terminal, action: DrainAction, summary: string): Command =>
  apiVerb(action, summary, [`drain ${action}`]).action((options: ApiOptions) =>
    carryOutAndSay(terminal, options, {
      request: { on: 'draining', action },
      did: did[action],
      look: 'status',
      data: { draining: action === 'start' },
    }),
  )

export const drainVerb = (terminal: Terminal): Command =>
  verbGroup('drain', 'stop and resume the starting of flows, across restarts', [
    act(terminal, 'start', 'start nothing new from now on, also after a restart'),
    act(terminal, 'end', 'start what has become due meanwhile, and go on as before'),
  ])
