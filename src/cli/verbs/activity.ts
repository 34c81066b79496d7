/**
 * `carillon activity`: what an operator may do to the activity of a state.
 */
import { InvalidArgumentError, Option, type Command } from 'commander'
import { showRef } from '../../ledger/StateRef.js'
import { operatorLimits } from '../../operator/limits.js'
import { ActivityActionC, actionsOf, NoteC, type ActivityAction } from '../../operator/OperatorRequest.js'
import { carryOutAndSay } from '../carryOutAndSay.js'
import { stateNamed } from '../named.js'
import type { Terminal } from '../Terminal.js'
import { apiVerb, verbGroup, type ApiOptions } from '../verb.js'
import { shortRef } from '../words.js'

type Options = ApiOptions & { readonly note?: string }

/** How an action is asked for on the command line, and what is said when it is done. */
const words: Readonly<
  Record<ActivityAction, { readonly summary: string; readonly did: string; readonly note?: string }>
> = {
  trigger: { summary: 'run an activity now, whatever its due instant', did: 'is triggered' },
  retry: { summary: 'try an activity again that needs attention', did: 'is tried again' },
  // Only what closes or holds an activity keeps a note: it says why nothing happens.
  dismiss: {
    summary: 'close an activity: it will not be started again',
    did: 'is dismissed: it will not be started again',
    note: 'settled by hand',
  },
  pause: {
    summary: 'hold an activity back until it is resumed',
    did: 'is paused',
    note: 'until the audit is over',
  },
  resume: { summary: 'put a paused activity back on the agenda', did: 'is back on the agenda' },
}

const parseNote = (text: string): string => {
  if (!NoteC.is(text)) throw new InvalidArgumentError(`It may have at most ${operatorLimits.noteLength} characters.`)
  return text
}

const act = (terminal: Terminal, action: ActivityAction): Command => {
  const { summary, did, note: example } = words[action]
  const noted = example === undefined ? '' : ` --note '${example}'`
  const command = apiVerb(action, summary, [`activity ${action} 3fa9c1:0${noted}`])
    .argument('<ref>', 'a state ref, or its first digits')
    .action(async (text: string, { note, ...options }: Options) => {
      const ref = await stateNamed(options, text)
      await carryOutAndSay(terminal, options, {
        request: { on: 'activity', action, ref, ...(note === undefined ? {} : { note }) },
        did: `The activity of ${showRef(ref)} ${did}.`,
        look: `why ${shortRef(ref)}`,
        data: { ref, action },
      })
    })
  return example === undefined
    ? command
    : command.addOption(
        new Option('--note <text>', 'why; it is recorded and shown with the activity').argParser(parseNote),
      )
}

export const activityVerb = (terminal: Terminal): Command =>
  verbGroup(
    'activity',
    'trigger, retry, dismiss, pause or resume an activity',
    actionsOf(ActivityActionC).map((action) => act(terminal, action)),
  )
