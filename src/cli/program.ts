/**
 * The `carillon` command with all its verbs, not yet run: what the command runs, completion lists and the docs describe.
 */
import { Command } from 'commander'
import { readPackage } from './packageFile.js'
import type { Terminal } from './Terminal.js'
import { verbNames, type VerbName } from './verbNames.js'
type Verb = (terminal: Terminal) => Command

const verbs: Readonly<Record<VerbName, () => Promise<Verb>>> = {
  new: async () => (await import('./verbs/new.js')).newVerb,
  completion: async () => (await import('./verbs/completion.js')).completionVerb,
  run: async () => (await import('./verbs/run.js')).runVerb,
  standby: async () => (await import('./verbs/standby.js')).standbyVerb,
  start: async () => (await import('./verbs/start.js')).startVerb,
  status: async () => (await import('./verbs/status.js')).statusVerb,
  live: async () => (await import('./verbs/live.js')).liveVerb,
  charts: async () => (await import('./verbs/charts.js')).chartsVerb,
  ready: async () => (await import('./verbs/ready.js')).readyVerb,
  doctor: async () => (await import('./verbs/doctor.js')).doctorVerb,
  explain: async () => (await import('./verbs/explain.js')).explainVerb,
  agenda: async () => (await import('./verbs/agenda.js')).agendaVerb,
  timeline: async () => (await import('./verbs/timeline.js')).timelineVerb,
  occurrences: async () => (await import('./verbs/occurrences.js')).occurrencesVerb,
  why: async () => (await import('./verbs/why.js')).whyVerb,
  activity: async () => (await import('./verbs/activity.js')).activityVerb,
  vault: async () => (await import('./verbs/vault.js')).vaultVerb,
  state: async () => (await import('./verbs/state.js')).stateVerb,
  diff: async () => (await import('./verbs/diff.js')).diffVerb,
  flow: async () => (await import('./verbs/flow.js')).flowVerb,
  panel: async () => (await import('./verbs/panel.js')).panelVerb,
  parties: async () => (await import('./verbs/parties.js')).partiesVerb,
  sessions: async () => (await import('./verbs/parties.js')).sessionsVerb,
  projections: async () => (await import('./verbs/projections.js')).projectionsVerb,
  clock: async () => (await import('./verbs/clock.js')).clockVerb,
  drain: async () => (await import('./verbs/drain.js')).drainVerb,
  log: async () => (await import('./verbs/log.js')).logVerb,
  backup: async () => (await import('./verbs/backup.js')).backupVerb,
  key: async () => (await import('./verbs/key.js')).keyVerb,
  token: async () => (await import('./verbs/token.js')).tokenVerb,
  metrics: async () => (await import('./verbs/metrics.js')).metricsVerb,
  openapi: async () => (await import('./verbs/metrics.js')).openapiVerb,
  api: async () => (await import('./verbs/api.js')).requestVerb,
  network: async () => (await import('./verbs/network.js')).networkVerb,
  replay: async () => (await import('./verbs/replay.js')).replayVerb,
  simulate: async () => (await import('./verbs/simulate.js')).simulateVerb,
  forecast: async () => (await import('./verbs/forecast.js')).forecastVerb,
}

/** With all verbs, or with one alone: whoever asks for a verb does not wait until the others are loaded. */
export const makeProgram = async (terminal: Terminal, only?: VerbName): Promise<Command> => {
  const program = new Command('carillon')
    .description('Run a Carillon node, look into its store, and act on it.')
    .version(readPackage().version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Every verb has its own help with examples: carillon agenda --help
Verbs that look or act work whether a node runs on the store or not. Only what
a store cannot know needs one: start, live, charts, ready, clock, panel,
metrics, openapi, api, projections, "log follow", "flow definitions" and "token
check".
With --url they ask a node on another machine.
An app may have verbs of its own, which work while its node runs, as in:
carillon chores --help

Exit codes: 0 when all went well, 1 for an error with a code, 2 when the
command line was not understood, 3 when a flow has refused (start, flow result).

Example:
  $ carillon new water-plants
  $ carillon run src/water-plants.ts`,
    )

  for (const name of only === undefined ? verbNames : [only]) program.addCommand((await verbs[name]())(terminal))
  return program
}
