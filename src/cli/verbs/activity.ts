/**
 * `carillon activity`: what an operator may do to the activity of a state.
 */
import { InvalidArgumentError, Option, type Command } from 'commander'
import { showRef } from '../../ledger/StateRef.js'
import { limits } from '../../limits.js'
import { NoteC, type ActivityAction } from '../../operator/OperatorRequest.js'
import { readStore } from '../../folder/readStore.js'
import { resolveRef } from '../../vault/resolveRef.js'
import { operate } from '../operate.js'
import { sayDone } from '../sayDone.js'
import type { Terminal } from '../Terminal.js'
import { storeHint, verb, verbGroup, type StoreOptions } from '../verb.js'
import { shortRef } from '../words.js'

type Options = StoreOptions & { readonly note?: string }

const past: Readonly<Record<ActivityAction, string>> = {
  trigger: 'is triggered',
  retry: 'is tried again',
  discharge: 'is discharged: it will not be started again',
  pause: 'is paused',
  resume: 'is back on the agenda',
}

const parseNote = (text: string): string => {
  if (!NoteC.is(text)) throw new InvalidArgumentError(`It may have at most ${limits.noteLength} characters.`)
  return text
}

const act = (terminal: Terminal, action: ActivityAction, summary: string, example: string): Command =>
  verb(action, summary, [`activity ${action} ${example}`])
    .argument('<ref>', 'a state ref, or its first digits')
    .action(async (text: string, { store, json, note }: Options) => {
      const ref = readStore(store, (db) => resolveRef(db, text))
      const by = await operate(store, { on: 'activity', action, ref, ...(note === undefined ? {} : { note }) })
      sayDone(terminal, json, {
        did: `The activity of ${showRef(ref)} ${past[action]}.`,
        by,
        look: `carillon why ${shortRef(ref)}${storeHint(store)}`,
        data: { ref, action },
      })
    })

/** Only what closes or holds an activity keeps a note: it says why nothing happens. */
const noteOption = (): Option =>
  new Option('--note <text>', 'why; it is recorded and shown with the activity').argParser(parseNote)

export const activity = (terminal: Terminal): Command =>
  verbGroup('activity', 'trigger, retry, discharge, pause or resume an activity', [
    act(terminal, 'trigger', 'run an activity now, whatever its due instant', '3fa9c1:0'),
    act(terminal, 'retry', 'try an activity again that waits for a hand', '3fa9c1:0'),
    act(
      terminal,
      'discharge',
      'close an activity: it will not be started again',
      "3fa9c1:0 --note 'settled by hand'",
    ).addOption(noteOption()),
    act(
      terminal,
      'pause',
      'hold an activity back until it is resumed',
      "3fa9c1:0 --note 'until the audit is over'",
    ).addOption(noteOption()),
    act(terminal, 'resume', 'put a paused activity back on the agenda', '3fa9c1:0'),
  ])
