/**
 * The `carillon` command with all its verbs, not yet run: what the command runs, completion lists and the docs describe.
 */
import { Command } from 'commander'
import { readPackage } from './packageFile.js'
import type { Terminal } from './Terminal.js'
import { activity } from './verbs/activity.js'
import { agenda } from './verbs/agenda.js'
import { api } from './verbs/api.js'
import { backup } from './verbs/backup.js'
import { completion } from './verbs/completion.js'
import { diff } from './verbs/diff.js'
import { doctor } from './verbs/doctor.js'
import { drain } from './verbs/drain.js'
import { flow } from './verbs/flow.js'
import { forecast } from './verbs/forecast.js'
import { log } from './verbs/log.js'
import { network } from './verbs/network.js'
import { newVerb } from './verbs/new.js'
import { occurrences } from './verbs/occurrences.js'
import { replay } from './verbs/replay.js'
import { run } from './verbs/run.js'
import { standby } from './verbs/standby.js'
import { simulate } from './verbs/simulate.js'
import { start } from './verbs/start.js'
import { status } from './verbs/status.js'
import { token } from './verbs/token.js'
import { vault } from './verbs/vault.js'
import { why } from './verbs/why.js'

export const makeProgram = (terminal: Terminal): Command => {
  const program = new Command('carillon')
    .description('Run a Carillon node, look into its store, and act on it.')
    .version(readPackage().version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Every verb has its own help with examples: carillon agenda --help
Verbs that look or act work whether a node runs on the store or not; only "start" and "api" need one.
An app may have verbs of its own; they work while its node runs, as in: carillon chores --help

Exit codes: 0 when all went well, 1 for an error with a code, 2 when the command line was not understood.

Example:
  $ carillon new water-plants
  $ carillon run src/water-plants.ts`,
    )

  for (const verb of [
    newVerb,
    completion,
    run,
    standby,
    start,
    status,
    doctor,
    agenda,
    occurrences,
    why,
    activity,
    vault,
    diff,
    flow,
    drain,
    log,
    backup,
    token,
    api,
    network,
    replay,
    simulate,
    forecast,
  ])
    program.addCommand(verb(terminal))
  return program
}
