/**
 * What the API answers, as codecs: the same facts as the node's own methods give, so that a client and an app see one
 * thing under one name.
 */
import * as t from 'io-ts'
import { TokenIdC } from '../operator/Token.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { HashC } from '../encoding/hash.js'
import { PublicKeyC } from '../identity/PublicKey.js'
import type { FlowDetails } from '../flow/FlowSummary.js'
import { OriginC, RecordedOperationC, WaitsC } from '../log/events.js'
import { FlowIdC } from '../log/FlowId.js'
import { CheckpointC } from '../log/Checkpoint.js'
import { PartyC } from '../identity/Party.js'
import { StateRefC } from '../ledger/StateRef.js'
import { TransactionIdC } from '../ledger/TransactionId.js'
import { InstantC } from '../time/Instant.js'

const record = <P extends t.Props, Q extends t.Props>(name: string, props: P, optional: Q) =>
  t.readonly(t.intersection([t.strict(props), t.exact(t.partial(optional))]), name)

const DetailC = t.union([t.string, t.number, t.boolean, t.null, t.readonlyArray(t.string)])
export const DetailsC = t.readonly(t.record(t.string, DetailC))
const CauseC = record('RecordedCause', { name: t.string, message: t.string }, { stack: t.string })
/** Stack and causes are there where one thing is asked for, and left out of lists. */
export const ErrorC = record(
  'RecordedError',
  { code: t.string, message: t.string },
  { details: DetailsC, stack: t.string, causes: t.readonlyArray(CauseC) },
)

export const pageOfC = <A>(item: t.Type<A, unknown>) =>
  record('Page', { items: t.readonlyArray(item) }, { next: t.string })

export const StandingC = t.keyof(
  { scheduled: null, started: null, ended: null, closed: null, parked: null, missed: null, paused: null },
  'Standing',
)

export const AgendaEntryC = record(
  'AgendaEntry',
  { ref: StateRefC, type: t.string, standing: StandingC, attempts: IntegerC },
  { due: InstantC, actsAt: InstantC, flow: t.string, error: ErrorC, note: t.string },
)

export const TimelineC = t.readonly(
  t.strict({
    from: InstantC,
    until: InstantC,
    now: InstantC,
    barMs: IntegerC,
    /** Whether older occurrences in this window were left out of the count. */
    partial: t.boolean,
    bars: t.readonlyArray(
      t.readonly(
        t.strict({
          at: InstantC,
          scheduled: IntegerC,
          onTime: IntegerC,
          late: IntegerC,
          failed: IntegerC,
          missed: IntegerC,
          worstLatenessMs: IntegerC,
        }),
      ),
    ),
  }),
  'Timeline',
)

export const AttemptC = record(
  'Attempt',
  {
    attempt: IntegerC,
    at: InstantC,
    latenessMs: IntegerC,
    outcome: t.keyof({
      running: null,
      'parked-flow': null,
      completed: null,
      refused: null,
      failed: null,
      killed: null,
      superseded: null,
      missed: null,
      'start-failed': null,
      parked: null,
      dismissed: null,
    }),
  },
  { due: InstantC, flow: FlowIdC, flowName: t.string, cause: t.string, error: ErrorC, by: t.string },
)

export const OccurrenceC = t.readonly(
  t.intersection([AttemptC, t.strict({ ref: StateRefC, type: t.string, revision: IntegerC })]),
  'Occurrence',
)

export const VaultEntryC = record(
  'VaultEntry',
  {
    ref: StateRefC,
    type: t.string,
    version: IntegerC,
    data: t.unknown,
    relevant: t.boolean,
    participants: t.readonlyArray(t.string),
    recordedAt: InstantC,
    fromRevision: IntegerC,
  },
  { key: t.string, consumedBy: TransactionIdC, consumedAt: InstantC, untilRevision: IntegerC },
)

export const StateTypeC = record('StateType', { type: t.string, unconsumed: IntegerC }, { consumed: IntegerC })

export const StateTypesC = t.readonly(t.strict({ types: t.readonlyArray(StateTypeC) }), 'StateTypes')

const FigureC = t.union([t.string, t.number])

export const AggregateC = record(
  'Aggregate',
  { count: IntegerC },
  { group: FigureC, sum: t.number, average: t.number, min: FigureC, max: FigureC },
)

export const WhyC = record(
  'Why',
  {
    ref: StateRefC,
    state: VaultEntryC,
    attempts: t.readonlyArray(AttemptC),
    story: t.readonlyArray(t.string),
    now: t.string,
  },
  { activity: AgendaEntryC, error: ErrorC },
)

export const GraphC = t.readonly(
  t.strict({
    transactions: t.readonlyArray(
      t.readonly(
        t.strict({ id: TransactionIdC, at: InstantC, revision: IntegerC, commands: t.readonlyArray(t.string) }),
      ),
    ),
    states: t.readonlyArray(
      record('GraphState', { ref: StateRefC, type: t.string, consumed: t.boolean }, { consumedBy: TransactionIdC }),
    ),
    /** Whether there is more of it than an answer holds. */
    partial: t.boolean,
  }),
  'Graph',
)

export const OperatedFlowsC = t.readonly(
  t.strict({
    done: IntegerC,
    refused: IntegerC,
    refusals: t.readonlyArray(t.strict({ flow: FlowIdC, error: t.strict({ code: t.string, message: t.string }) })),
  }),
  'OperatedFlows',
)

export const FlowStatusC = t.keyof(
  {
    running: null,
    paused: null,
    parked: null,
    completed: null,
    refused: null,
    failed: null,
    killed: null,
    superseded: null,
    continued: null,
  },
  'FlowStatus',
)

/** What flows can be listed by beside their status. */
export const FlowConditionC = t.union([FlowStatusC, t.literal('open'), t.literal('troubled'), t.literal('attention')])

const flowMembers = {
  id: FlowIdC,
  name: t.string,
  version: IntegerC,
  status: FlowStatusC,
  startedAt: InstantC,
  startedBy: OriginC,
}
const flowOptional = {
  endedAt: InstantC,
  progress: t.string,
  waiting: WaitsC,
  result: t.unknown,
  /** What it refused with. */
  refusal: t.unknown,
  error: ErrorC,
}

export const FlowSummaryC = record('FlowSummary', flowMembers, flowOptional)

export const HangingStepC = record(
  'HangingStep',
  { flow: FlowIdC, flowName: t.string, step: t.string, attempt: IntegerC, since: InstantC },
  {},
)

export const FlowDetailsC = record(
  'FlowDetails',
  {
    ...flowMembers,
    input: t.unknown,
    record: t.readonlyArray(RecordedOperationC),
    /** Every failed try, every time it was parked, retried, paused or resumed, and an end that needs attention. */
    troubles: t.readonlyArray(
      record(
        'FlowTrouble',
        {
          at: InstantC,
          what: t.keyof({
            'failed a try': null,
            parked: null,
            retried: null,
            paused: null,
            resumed: null,
            cancelled: null,
            'superseded after a step': null,
            dismissed: null,
          }),
        },
        { by: t.string, error: ErrorC, retryAt: InstantC },
      ),
    ),
    /** Signals that the flow was sent and has not taken yet. */
    signals: t.readonlyArray(
      record('KeptSignal', { signal: t.string, data: t.unknown, by: t.string, at: InstantC }, { id: t.string }),
    ),
    /** The flows that it has started. */
    children: t.readonlyArray(
      t.readonly(
        t.strict({
          id: FlowIdC,
          name: t.string,
          status: FlowStatusC,
          whenParentEnds: t.keyof({ cancel: null, leave: null }),
        }),
        'FlowChild',
      ),
    ),
  },
  {
    ...flowOptional,
    parent: FlowIdC,
    /** The flow that it has continued as. */
    continuedAs: FlowIdC,
    /** Each event of the flow that the log holds, told in words. */
    story: t.readonlyArray(t.readonly(t.strict({ revision: IntegerC, at: InstantC, type: t.string, text: t.string }))),
  },
)

export const FlowDefinitionC = t.readonly(
  t.strict({ name: t.string, version: IntegerC, schedulable: t.boolean, input: t.UnknownRecord, mayStart: t.boolean }),
  'FlowDefinition',
)

export const SignalDefinitionC = t.readonly(
  t.strict({ name: t.string, data: t.UnknownRecord, example: t.unknown, maySend: t.boolean }),
  'SignalDefinition',
)

export const SignalDefinitionsC = t.readonly(
  t.strict({ items: t.readonlyArray(SignalDefinitionC) }),
  'SignalDefinitions',
)

export const StartedC = t.readonly(t.strict({ flow: FlowIdC }), 'Started')

export const FlowResultC = t.readonly(
  t.intersection([t.strict({ ended: t.boolean }), t.exact(t.partial({ result: t.unknown, refusal: t.unknown }))]),
  'FlowResult',
)

export const LogEntryC = record(
  'LogEntry',
  { revision: IntegerC, tick: IntegerC, at: InstantC, type: t.string, text: t.string },
  { event: t.unknown },
)

/** A public event; what else it says depends on its type. */
export const PublicEventC = record(
  'PublicEvent',
  { revision: IntegerC, tick: IntegerC, at: InstantC, hash: HashC, type: t.string },
  {},
)

export const ProjectionC = record(
  'Projection',
  {
    name: t.string,
    version: IntegerC,
    state: t.keyof({ 'catching up': null, live: null, 'waiting for its store': null, stopped: null }),
    revision: t.number,
    lag: IntegerC,
  },
  { error: t.readonly(t.strict({ code: t.string, message: t.string })) },
)
/** How a projection stands, as the API tells it. */
export type ProjectionAnswer = t.TypeOf<typeof ProjectionC>

export const LogPageC = record('LogPage', { items: t.readonlyArray(LogEntryC), head: t.number }, { next: t.string })

export const VerificationC = record(
  'Verification',
  {
    state: t.keyof({ never: null, running: null, sound: null, altered: null }),
    events: IntegerC,
    head: record('Head', { tick: IntegerC, revision: IntegerC, hash: HashC }, {}),
  },
  {
    verifiedTo: IntegerC,
    at: InstantC,
    signedBy: t.string,
    problems: t.readonlyArray(t.readonly(t.strict({ revision: IntegerC, what: t.string }))),
  },
)

/** Why a node can record nothing at the moment: its log is away, or there is no room. It goes on by itself. */
export const TroubleC = record('Trouble', { code: t.string, message: t.string }, {})

export const HealthC = record(
  'Health',
  { alive: t.literal(true), role: t.keyof({ leading: null, following: null }), uptimeSeconds: t.number },
  { now: InstantC, draining: t.boolean, trouble: TroubleC },
)

export const ReadyC = t.readonly(t.strict({ ready: t.literal(true) }), 'Ready')

/** What a page sends with each request, and until when. */
export const SessionBegunC = t.readonly(t.strict({ session: t.string, expiresAt: InstantC }), 'SessionBegun')

export const LinkC = t.readonly(t.strict({ link: t.string }), 'Link')

export const HangingStepsC = t.readonly(t.strict({ items: t.readonlyArray(HangingStepC) }), 'HangingSteps')

export const FlowDefinitionsC = t.readonly(t.strict({ items: t.readonlyArray(FlowDefinitionC) }), 'FlowDefinitions')

export const StatusC = record(
  'Status',
  {
    node: t.string,
    nodes: t.readonlyArray(t.string),
    party: PartyC,
    app: t.readonly(t.strict({ name: t.string, version: t.string })),
    version: t.string,
    now: InstantC,
    draining: t.boolean,
    stopped: t.boolean,
    term: IntegerC,
    head: record('Head', { tick: IntegerC, revision: IntegerC, hash: HashC }, {}),
    activities: t.readonly(
      t.strict({
        scheduled: IntegerC,
        parked: IntegerC,
        missed: IntegerC,
        failed: IntegerC,
        paused: IntegerC,
        unconsumed: IntegerC,
      }),
    ),
    flows: t.readonly(t.strict({ open: IntegerC, parked: IntegerC, paused: IntegerC, superseded: IntegerC })),
    hangingSteps: IntegerC,
    virtualTime: t.boolean,
  },
  { trouble: TroubleC },
)

const PointC = t.readonly(
  t.strict({
    at: InstantC,
    events: IntegerC,
    transactions: IntegerC,
    started: IntegerC,
    ended: IntegerC,
    failed: IntegerC,
    latenessP50Ms: IntegerC,
    latenessP95Ms: IntegerC,
    latenessMaxMs: IntegerC,
  }),
)
export const ChartsC = t.readonly(t.strict({ pointMs: IntegerC, points: t.readonlyArray(PointC) }), 'Charts')

export const LiveC = t.readonly(
  t.intersection([StatusC, t.strict({ eventsPerSecond: t.number, startsPerSecond: t.number })]),
  'Live',
)

const ShownMapC = record(
  'NetworkMap',
  { name: t.string, root: PublicKeyC, serial: IntegerC, hash: HashC, madeAt: InstantC },
  { expiresAt: InstantC },
)

export const MapsAtHandC = record('NetworkMaps', {}, { inUse: ShownMapC, contradicting: ShownMapC })

export const PartyEntryC = record(
  'PartyEntry',
  { name: t.string, key: t.string, isMe: t.boolean, openSessions: IntegerC, unacknowledged: IntegerC },
  { address: t.string, notary: t.string },
)

export const KeptHeadC = t.readonly(
  t.strict({ party: PartyC, keptAt: InstantC, checkpoint: CheckpointC }),
  'KeptCheckpoint',
)

export const SessionEntryC = record(
  'SessionEntry',
  {
    id: t.string,
    role: t.string,
    party: t.string,
    sent: IntegerC,
    received: IntegerC,
    closed: t.boolean,
    revision: IntegerC,
  },
  { flow: FlowIdC, flowName: t.string },
)

export const TokenC = record(
  'Token',
  { id: TokenIdC, name: t.string, permissions: t.readonlyArray(t.string), issuedAt: InstantC, issuedBy: t.string },
  { expiresAt: InstantC, revokedAt: InstantC, revokedBy: t.string },
)

export const MeC = record(
  'Me',
  {
    name: t.string,
    permissions: t.readonlyArray(t.string),
    from: t.string,
    /** The nodes that this server serves; none while it stands by. */
    nodes: t.readonlyArray(t.string),
  },
  { expiresAt: InstantC },
)

export const ClockC = t.readonly(
  t.strict({ virtual: t.boolean, now: InstantC, playing: t.boolean, speed: t.number }),
  'Clock',
)

// What the answers hold, for clients written in TypeScript: the dashboard and the command line.
export type { AgendaEntry } from '../agenda/AgendaEntry.js'
export type { Why } from '../agenda/why.js'
export type { FlowSummary } from '../flow/FlowSummary.js'
export type { StateRef } from '../ledger/StateRef.js'
export type { FlowAction, ActivityAction, OperatorRequest } from '../operator/OperatorRequest.js'
export type { Token } from '../operator/Token.js'
export type { KeptCheckpoint } from '../log/NodeTables.js'
export type { VaultEntry } from '../vault/VaultEntry.js'
export type { Occurrence } from '../storage/queries/readOccurrences.js'
export type { MapsAtHand, ShownMap } from '../network/followMap.js'
export type { PartyEntry, SessionEntry } from '../storage/queries/readSessions.js'
export type Health = t.TypeOf<typeof HealthC>
export type { HangingStep } from '../engine/AsyncStepRunner.js'
export type Live = t.TypeOf<typeof LiveC>
export type Graph = t.TypeOf<typeof GraphC>
export type Charts = t.TypeOf<typeof ChartsC>
export type TimelineAnswer = t.TypeOf<typeof TimelineC>
export type StateType = t.TypeOf<typeof StateTypeC>
export type LogEntry = t.TypeOf<typeof LogEntryC>
export type Verification = t.TypeOf<typeof VerificationC>
export type ClockState = t.TypeOf<typeof ClockC>
export type Me = t.TypeOf<typeof MeC>
/** A flow with each of its events told in words. */
export type FlowWithStory = FlowDetails & Required<Pick<t.TypeOf<typeof FlowDetailsC>, 'story'>>
/** A flow of the app, as whoever wants to start it needs to know it. */
export type StartableFlow = t.TypeOf<typeof FlowDefinitionC>
export type SendableSignal = t.TypeOf<typeof SignalDefinitionC>
export type PageAnswer<A> = { readonly items: readonly A[]; readonly next?: string }
