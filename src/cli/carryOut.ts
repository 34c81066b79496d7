/**
 * Carries an operator's request out wherever it can be: by the node that is meant, or, when none runs on the store, in
 * the store itself.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { CarillonError } from '../errors/CarillonError.js'
import { operateOffline } from '../folder/OfflineOperator.js'
import type { OperatorRequest } from '../operator/OperatorRequest.js'
import { NodeApi, type NodePlace } from './NodeApi.js'
import { operatorName } from './operatorName.js'

export type CarriedOutBy = 'node' | 'store'

/** A node that is just starting holds the lock before it listens, one that stops no longer listens: both pass soon. */
const patienceMs = 3_000
const pauseMs = 100

const hasCode = (error: unknown, code: string): boolean => error instanceof CarillonError && error.code === code

const tryOnce = async (place: NodePlace, request: OperatorRequest): Promise<CarriedOutBy> => {
  try {
    await NodeApi.at(place).client.operate(request)
    return 'node'
  } catch (error) {
    if (!hasCode(error, 'node-not-running')) throw error
  }
  await operateOffline(place.store, request, { by: operatorName() })
  return 'store'
}

export const carryOut = async (place: NodePlace, request: OperatorRequest): Promise<CarriedOutBy> => {
  const untilMs = Date.now() + patienceMs
  for (;;) {
    try {
      return await tryOnce(place, request)
    } catch (error) {
      if (!hasCode(error, 'store-locked') || Date.now() > untilMs) throw error
      await wait(pauseMs)
    }
  }
}
