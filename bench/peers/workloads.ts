/**
 * The workloads, in the order they are run: each on all systems, one after the other, before the next begins.
 */
import type { Workload } from './Workload.js'
import { burst } from './workloads/burst.js'
import { chains } from './workloads/chains.js'
import { killInBurst } from './workloads/killInBurst.js'
import { lateness } from './workloads/lateness.js'
import { memory } from './workloads/memory.js'
import { restartOverdue } from './workloads/restartOverdue.js'
import { scheduleBulk, scheduleSingle } from './workloads/schedule.js'
import { stepLatency, stepPace } from './workloads/steps.js'

export const workloads: readonly Workload[] = [
  scheduleSingle,
  scheduleBulk,
  burst,
  lateness,
  chains,
  restartOverdue,
  killInBurst,
  memory,
  stepLatency,
  stepPace,
]
