/**
 * Carries an operator's request out wherever it can be: by the node that runs on the store, or, when none
 * runs, in the store itself.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { CarillonError } from '../errors/CarillonError.js'
import { operateOffline } from '../folder/OfflineOperator.js'
import type { OperatorRequest } from '../operator/OperatorRequest.js'
import { NodeApi } from './NodeApi.js'
import { operatorName } from './operatorName.js'

export type CarriedOutBy = 'node' | 'store'

/** A node that is just starting holds the lock before it listens, one that stops no longer listens: both pass soon. */
const patienceMs = 3_000
const pauseMs = 100

const hasCode = (error: unknown, code: string): boolean => error instanceof CarillonError && error.code === code

const tryOnce = async (store: string, request: OperatorRequest): Promise<CarriedOutBy> => {
  try {
    await NodeApi.at({ store }).operate(request)
    return 'node'
  } catch (error) {
    if (!hasCode(error, 'node-not-running')) throw error
  }
  await operateOffline(store, request, { by: operatorName() })
  return 'store'
}

export const operate = async (store: string, request: OperatorRequest): Promise<CarriedOutBy> => {
  const untilMs = Date.now() + patienceMs
  for (;;) {
    try {
      return await tryOnce(store, request)
    } catch (error) {
      if (!hasCode(error, 'store-locked') || Date.now() > untilMs) throw error
      await wait(pauseMs)
    }
  }
}
