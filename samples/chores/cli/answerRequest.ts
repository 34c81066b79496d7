/**
 * Answers what was asked, at the desk of the caller: permissions and records are the desk's affair.
 */
import type { Instant } from 'carillon'
import { describeDetails, describeEntry, describeStatus } from '../describe.js'
import { ChoreRefused, type ChoreDesk, type ChoreStatus } from '../engine/index.js'
import type { DeskRequest } from './requests.js'

export const answerRequest = async (
  deskOf: (caller: string) => ChoreDesk,
  request: DeskRequest,
  now: Instant,
): Promise<readonly string[]> => {
  const desk = deskOf(request.caller)
  const statusOf = (choreId: string): ChoreStatus => {
    const status = desk.getChoreStatus(choreId)
    if (status === undefined) throw new ChoreRefused(`There is no chore ${choreId}.`)
    return status
  }
  switch (request.ask) {
    case 'list':
      return desk
        .getChoreStatuses()
        .map((status) => (request.json ? JSON.stringify(status) : describeStatus(status, now)))
    case 'status': {
      const status = statusOf(request.choreId)
      return request.json ? [JSON.stringify(status)] : describeDetails(status, now)
    }
    case 'log':
      statusOf(request.choreId)
      return (await desk.getChoreLog(request.choreId)).map((entry) =>
        request.json ? JSON.stringify(entry) : describeEntry(entry),
      )
    case 'control':
      await desk.control(request.choreId, request.control)
      return [`${request.choreId}: ${request.control.verb} is recorded.`]
    case 'stop-all':
      await desk.stopAllChores()
      return ['Every chore is stopped.']
  }
}
