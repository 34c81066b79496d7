/**
 * Which folder may import which. A room may import itself and the rooms that stand before it in this list, and no room
 * after it, so no two rooms ever import each other. Where a room may import less than that, `only` says so.
 */
const order = [
  // Ring 1, pure.
  'version',
  'errors',
  'limits',
  'encoding',
  'time',
  'identity',
  'ledger',
  // The vocabulary of the log, its format, and the port to it.
  'log',
  // Ring 2, the rules: one aggregate a room.
  'vault',
  'flow',
  'session',
  'notary',
  'finality',
  'agenda',
  'operator',
  'app',
  'engine',
  // The rules once more, to compare with.
  'model',
  // Ring 3, adapters: SQL, logs, the machine and the network.
  'time/SystemClock',
  'time/zoneDataVersion',
  'storage',
  'logs',
  'keys',
  'folder',
  'network',
  'history',
  'backup',
  'transport',
  'subscription',
  'projection',
  'node',
  'standby',
  // Surfaces.
  'telemetry',
  'http',
  'client',
  'testing',
  'cli',
  'dashboard',
  'lint',
  'entries',
  'index',
]

const pure = ['limits', 'errors', 'encoding', 'time', 'identity', 'ledger']
const rules = ['log', 'vault', 'flow', 'session', 'notary', 'finality', 'agenda', 'operator', 'app', 'engine']

/** Rooms that may import less than all that stands before them. */
const only = {
  app: ['version', 'time/zoneDataVersion', ...pure, ...rules.slice(0, rules.indexOf('app'))],
  version: [],
  errors: [],
  limits: ['errors'],
  encoding: ['limits', 'errors'],
  // The executable specification: the events as types, and ring 1. It must not share a line with what it is compared with.
  model: [...pure, 'log/events'],
  'time/SystemClock': pure,
  'time/zoneDataVersion': pure,
  // A program elsewhere, or a page in a browser: see also client-runs-in-a-browser.
  client: [...pure, ...rules, 'subscription', 'http'],
  // It reads syntax, and is loaded by ESLint without the rest.
  lint: [],
  // A page that runs in a browser: it asks by the client, and knows the API's answers as types.
  dashboard: ['errors', 'http', 'client'],
}

const mayImport = Object.fromEntries(order.map((room, place) => [room, only[room] ?? order.slice(0, place)]))

/** Where a room's files lie, when that is not simply its folder. */
const places = {
  limits: '^src/limits\\.ts$',
  version: '^src/version\\.ts$',
  index: '^src/index\\.ts$',
  time: '^src/time/(?!(SystemClock|zoneDataVersion)\\.ts$)',
  'time/SystemClock': '^src/time/SystemClock\\.ts$',
  'time/zoneDataVersion': '^src/time/zoneDataVersion\\.ts$',
  'log/events': '^src/log/events\\.ts$',
}
const placeOf = (room) => places[room] ?? `^src/${room}/`

const spec = '\\.spec\\.ts$'

const roomRules = Object.entries(mayImport).map(([room, others]) => ({
  name: `room-${room.replace('/', '-')}`,
  comment: `src/${room} may import ${others.length === 0 ? 'nothing else of src' : others.join(', ')}. The table is in .dependency-cruiser.js.`,
  severity: 'error',
  from: { path: placeOf(room), pathNot: spec },
  to: { path: '^src/', pathNot: [room, ...others].map(placeOf) },
}))

/** The two files that read a notation of others, each with the package that knows it. Both run in UTC, without a clock. */
const ruleParsers = [
  { file: '^src/time/recurrence/CronRule\\.ts$', packageName: 'croner' },
  { file: '^src/time/recurrence/RRule\\.ts$', packageName: 'rrule-temporal' },
]

const innerRooms = [...pure, ...rules, 'model'].map(placeOf)

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...roomRules,
    {
      name: 'room-unknown',
      comment: 'A folder of src that has no line in the table of .dependency-cruiser.js: give it one.',
      severity: 'error',
      from: { path: '^src/', pathNot: [spec, ...Object.keys(mayImport).map(placeOf)] },
      to: {},
    },
    {
      name: 'model-knows-events-as-types',
      comment: 'The model reads events that were decoded already; it imports their types and no codec.',
      severity: 'error',
      from: { path: placeOf('model'), pathNot: spec },
      to: { path: placeOf('log/events'), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'client-runs-in-a-browser',
      comment: 'Of other rooms the client takes types, and only a few files that need nothing of Node.js.',
      severity: 'error',
      from: { path: placeOf('client'), pathNot: spec },
      to: {
        path: '^src/',
        dependencyTypesNot: ['type-only'],
        pathNot: [
          placeOf('client'),
          placeOf('errors'),
          '^src/encoding/(canonical|decode)\\.ts$',
          '^src/ledger/(decodeState|showRef)\\.ts$',
          '^src/log/holdsEvent\\.ts$',
          '^src/flow/(FlowEnd|Refusal)\\.ts$',
          '^src/engine/pause\\.ts$',
          '^src/subscription/(callBack|subscriber)\\.ts$',
        ],
      },
    },
    {
      name: 'client-knows-no-host',
      comment: 'The client sends by fetch; whoever runs on Node.js and needs more gives it a fetch of its own.',
      severity: 'error',
      from: { path: placeOf('client'), pathNot: spec },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'inner-rings-know-no-host',
      comment: 'Rings 1 and 2 import nothing of Node, so that the same input always gives the same decision.',
      severity: 'error',
      from: { path: innerRooms, pathNot: [spec, '^src/encoding/hash\\.ts$', '^src/identity/'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'keys-and-hashes-need-only-crypto',
      comment: 'Hashing and signing come from node:crypto, and that is all of Node these files may import.',
      severity: 'error',
      from: { path: ['^src/encoding/hash\\.ts$', '^src/identity/'], pathNot: spec },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'inner-rings-know-few-packages',
      comment: 'Rings 1 and 2 use fp-ts, io-ts and luxon; whatever does I/O belongs behind a port.',
      severity: 'error',
      from: { path: innerRooms, pathNot: [spec, ...ruleParsers.map(({ file }) => file)] },
      to: { path: 'node_modules/', pathNot: 'node_modules/(@types/)?(fp-ts|io-ts|luxon)/' },
    },
    ...ruleParsers.map(({ file, packageName }) => ({
      name: `parser-${packageName}`,
      comment: `${file} reads a rule that others have specified, so it may also use ${packageName}, which only parses and counts (docs/adr/0017).`,
      severity: 'error',
      from: { path: file },
      to: { path: 'node_modules/', pathNot: `node_modules/(@types/)?(fp-ts|io-ts|luxon|${packageName})/` },
    })),
    {
      name: 'shipped-code-needs-shipped-packages',
      comment: 'What is published may import only dependencies and peers.',
      severity: 'error',
      // The dashboard is bundled, so what it imports comes along inside it.
      from: { path: '^src/', pathNot: [spec, '^src/dashboard/'] },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        // A peer is a development dependency here, too.
        dependencyTypesNot: ['type-only', 'npm-peer'],
        pathNot: '/@types/',
      },
    },
    {
      name: 'src-stands-alone',
      comment: 'Nothing that is published may lean on samples, tests, benchmarks, docs or scripts.',
      severity: 'error',
      from: { path: '^src/', pathNot: spec },
      to: { path: '^(samples|test|bench|docs|scripts)/' },
    },
    {
      name: 'strangers-use-the-package-name',
      comment:
        "Samples, benchmarks and docs import 'carillon' and 'carillon/testing', as a stranger's app would, never a path into src.",
      severity: 'error',
      from: { path: '^(samples|bench|docs)/' },
      to: { path: '^src/', dependencyTypes: ['local'] },
    },
    {
      name: 'strangers-keep-to-themselves',
      comment: 'Samples and docs import only files of their own folder; a benchmark may also measure a sample.',
      severity: 'error',
      from: { path: '^(samples|docs)/' },
      to: { path: '^(samples|bench|docs|test|scripts)/', pathNot: '^$1/' },
    },
    {
      name: 'samples-meet-in-shared',
      comment: 'A sample imports its own files and samples/shared; only the demo puts samples together.',
      severity: 'error',
      from: { path: '^samples/(?!demo/)([^/]+)/' },
      to: { path: '^samples/', pathNot: ['^samples/$1/', '^samples/shared/'] },
    },
    {
      name: 'benchmarks-measure-samples',
      comment: 'A benchmark imports its own files and the samples it measures.',
      severity: 'error',
      from: { path: '^bench/' },
      to: { path: '^(docs|test|scripts)/' },
    },
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one concept in two places, or two concepts with a missing third.',
      severity: 'error',
      from: {},
      // Types may name each other: a state names its contract, whose rules are about states.
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      comment: 'The import leads nowhere.',
      severity: 'error',
      // It is loaded by StrykerJS, whose packages only its own command installs.
      from: { pathNot: '^test/mutants/onlyDrawn\\.mjs$' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|dist-next|dist-old|coverage|bench/peers|test/mutants/(node_modules|[.]run))/' },
    // Imports of types count: a pure room that names an adapter's type depends on it.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['carillon-source', 'import', 'node', 'default', 'types'],
    },
  },
}
