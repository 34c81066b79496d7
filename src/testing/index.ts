/**
 * Test tools: everything an app needs to test code that takes years in milliseconds.
 */
export { seededRandom } from './seededRandom.js'
export { VirtualNode, type VirtualNodeOptions } from './VirtualNode.js'
export { VirtualNetwork, type NextDue, type VirtualNetworkOptions, type VirtualPartyOptions } from './VirtualNetwork.js'
export { NodeInspection, type LoggedEvent } from './NodeInspection.js'
export { TimeMachine } from '../history/TimeMachine.js'
export { fairWeather, type VirtualTransport, type Weather } from './VirtualTransport.js'
export { VirtualClock } from '../time/VirtualClock.js'
export { keyPairFromSeed } from '../identity/KeyPair.js'
export { testParty } from './testParty.js'

// Measuring
/** @internal */
export { SignatureThreads } from '../transport/SignatureThreads.js'
/** @internal */
export type { Claimed } from '../identity/verifiedSignatures.js'

// Contracts
export { ledger, type Named, type TestLedger } from './contracts/TestLedger.js'
export type { ExpectedViolation, TransactionTrial } from './contracts/TransactionTrial.js'

// Assertions
export { carillonChai, type ChaiLike, type ChaiUtilsLike, type Expected } from './assertions/carillonChai.js'

// Replay
export { assertReplays, replay, type ExpectedViews } from './replay/replay.js'
export { describeReplay } from './replay/describeReplay.js'
export type { ReplayOptions } from './replay/ReplayGround.js'
export type { ReplaySource } from './replay/openReplaySource.js'
export { recordedLogs, type RecordedLog } from './replay/recordedLogs.js'
export { describeProblem, type ReplayProblem, type ReplayReport } from './replay/ReplayReport.js'
export type { SourcePlace } from './traceFlows.js'

// Simulation
export { assertSimulates, simulate, type SimulationOptions } from './simulation/simulate.js'
export {
  describeFailure,
  describeReport,
  type SimulationFailure,
  type SimulationReport,
  type Violation,
} from './simulation/SimulationReport.js'
export { builtInInvariants } from './simulation/builtInInvariants.js'
export { Chance } from './simulation/Chance.js'
export { allFaults, type Action, type Faults, type OperatorAct, type Plan } from './simulation/Plan.js'
export { randomWorkload } from './simulation/randomWorkload.js'
export type { PowerCut } from './simulation/DiskFaults.js'
export type { TraceLine } from './simulation/SimulationRun.js'
export type { Boundary, BoundaryCounts } from './simulation/Boundaries.js'
export type { Order } from './simulation/Order.js'
export type { Acknowledged, StepPlace, Witness } from './simulation/Witness.js'
export type { Turn, Workload } from './simulation/Workload.js'
export type { Invariant, PartyAtEnd, World } from './simulation/World.js'

// Forecast
export {
  forecast,
  type CashFlow,
  type Forecast,
  type ForecastEntry,
  type ForecastOptions,
  type ForecastProgress,
  type ForecastState,
  type ForecastTransaction,
} from './forecast/forecast.js'
export { timeline } from './forecast/timeline.js'
export type { StepAssumptions } from './forecast/Assumptions.js'
