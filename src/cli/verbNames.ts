/**
 * The names of the command's own verbs, in the order of the help. An app cannot have a verb of such a name.
 */
export const verbNames = [
  'new',
  'completion',
  'run',
  'standby',
  'start',
  'status',
  'live',
  'charts',
  'ready',
  'doctor',
  'agenda',
  'timeline',
  'occurrences',
  'why',
  'activity',
  'vault',
  'state',
  'diff',
  'flow',
  'panel',
  'parties',
  'sessions',
  'projections',
  'clock',
  'drain',
  'log',
  'backup',
  'key',
  'token',
  'metrics',
  'openapi',
  'api',
  'network',
  'replay',
  'simulate',
  'forecast',
] as const
export type VerbName = (typeof verbNames)[number]

export const isVerbName = (word: string | undefined): word is VerbName => verbNames.some((name) => name === word)
