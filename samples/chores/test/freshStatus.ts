/**
 * The status of a chore that has been registered, named `chore`, and of which nothing else can be told.
 */
import type { ChoreStatus } from '../engine/index.js'

export const freshStatus: ChoreStatus = {
  ...{ choreId: 'chore', choreType: 'chore', choreName: 'The chore', choreDescription: 'A chore called chore' },
  ...{ enabled: false, intervalSeconds: 3_600, maxIntervalSeconds: null, taskTimeoutSeconds: 300 },
  ...{ lifecycle: 'Stopped', held: null, circuitBroken: false, stopRequested: false },
  ...{ schedulerStatus: 'Idle', nextScheduledRunAt: null, lastCompletedRunAt: null },
  ...{ conductorStatus: 'Idle', conductorStartedAt: null, conductorInvocationCount: 0 },
  ...{ taskStatus: 'Idle', currentTaskId: null, taskStartedAt: null },
  ...{ lastCompletedTaskId: null, lastTaskSucceeded: null, lastTaskError: null, lastFailedTask: null },
  ...{ totalRunCount: 0, totalSuccessCount: 0, totalFailureCount: 0, lastError: null, lastErrorAt: null },
}
