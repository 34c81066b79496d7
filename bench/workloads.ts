/**
 * All benchmarks, in the order they are run.
 */
import type { Workload } from './Workload.js'
import { catchUp } from './workloads/catchUp.js'
import { chains } from './workloads/chains.js'
import { durableAppends } from './workloads/durableAppends.js'
import { fireAtScale } from './workloads/fireAtScale.js'
import { fireBurst } from './workloads/fireBurst.js'
import { fireOnPostgres } from './workloads/fireOnPostgres.js'
import { hangingSteps } from './workloads/hangingSteps.js'
import { flood } from './workloads/flood.js'
import { longFlows } from './workloads/longFlows.js'
import { killInBurst, killInLargeBurst } from './workloads/killInBurst.js'
import { lateness } from './workloads/lateness.js'
import { memoryPending } from './workloads/memoryPending.js'
import { notarisations } from './workloads/notarisations.js'
import { produceBulk } from './workloads/produceBulk.js'
import { produceSingle } from './workloads/produceSingle.js'
import { questions } from './workloads/questions.js'
import { replay } from './workloads/replay.js'
import { restartHistory } from './workloads/restartHistory.js'
import { restartOverdue } from './workloads/restartOverdue.js'
import { restartPending } from './workloads/restartPending.js'
import { vaultQuery } from './workloads/vaultQuery.js'
import { schedules } from './workloads/schedules.js'
import { signatureThreads } from './workloads/signatureThreads.js'
import { stepFlows } from './workloads/stepFlows.js'
import { subscribers } from './workloads/subscriptions.js'
import { swapDecade } from './workloads/swapDecade.js'
import { takeover } from './workloads/takeover.js'
import { taskCost } from './workloads/taskCost.js'
import { threeLogs } from './workloads/threeLogs.js'
import { twoParties } from './workloads/twoParties.js'
import { verify } from './workloads/verify.js'
import { virtualYear } from './workloads/virtualYear.js'
import { waitingFlows } from './workloads/waitingFlows.js'

export const workloads: readonly Workload[] = [
  durableAppends,
  produceSingle,
  produceBulk,
  fireBurst,
  fireAtScale,
  fireOnPostgres,
  threeLogs,
  takeover,
  lateness,
  chains,
  stepFlows,
  longFlows,
  waitingFlows,
  hangingSteps,
  restartPending,
  restartHistory,
  memoryPending,
  restartOverdue,
  killInBurst,
  killInLargeBurst,
  replay,
  subscribers,
  catchUp,
  vaultQuery,
  questions,
  twoParties,
  flood,
  notarisations,
  signatureThreads,
  schedules,
  taskCost,
  verify,
  swapDecade,
  virtualYear,
]
