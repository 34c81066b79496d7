/**
 * `carillon drain`: nothing new is started until draining ends; what is under way goes on.
 */
import type { Command } from 'commander'
import type { DrainAction } from '../../operator/OperatorRequest.js'
import { operate } from '../operate.js'
import { sayDone } from '../sayDone.js'
import type { Terminal } from '../Terminal.js'
import { storeHint, verb, verbGroup, type StoreOptions } from '../verb.js'

const did: Readonly<Record<DrainAction, string>> = {
  start: 'The node drains: nothing new is started, what is under way goes on.',
  end: 'Draining has ended: what has become due meanwhile is started, in order.',
}

const act = (terminal: Terminal, action: DrainAction, summary: string): Command =>
  verb(action, summary, [`drain ${action}`]).action(async ({ store, json }: StoreOptions) => {
    const by = await operate(store, { on: 'draining', action })
    sayDone(terminal, json, {
      did: did[action],
      by,
      look: `carillon status${storeHint(store)}`,
      data: { draining: action === 'start' },
    })
  })

export const drain = (terminal: Terminal): Command =>
  verbGroup('drain', 'stop and resume the starting of flows, across restarts', [
    act(terminal, 'start', 'start nothing new from now on, also after a restart'),
    act(terminal, 'end', 'start what has become due meanwhile, and go on as before'),
  ])
