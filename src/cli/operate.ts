/**
 * Carries an operator's request out wherever it can be: by the node that runs on the store, or, when none
 * runs, in the store itself.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { CarillonError } from '../errors/CarillonError.js'
import { ControlClient } from '../node/ControlClient.js'
import type { OperatorRequest } from '../operator/controlProtocol.js'
import { operateOffline } from '../folder/OfflineOperator.js'

export type CarriedOutBy = 'node' | 'store'

/** A node that is just starting holds the lock before it listens, one that stops no longer listens: both pass soon. */
const patienceMs = 3_000
const pauseMs = 100

const tryOnce = async (folder: string, request: OperatorRequest): Promise<CarriedOutBy> => {
  const client = await ControlClient.connect(folder)
  if (client === undefined) {
    await operateOffline(folder, request)
    return 'store'
  }
  try {
    await client.operate(request)
    return 'node'
  } finally {
    client.close()
  }
}

export const operate = async (folder: string, request: OperatorRequest): Promise<CarriedOutBy> => {
  const untilMs = Date.now() + patienceMs
  for (;;) {
    try {
      return await tryOnce(folder, request)
    } catch (error) {
      if (!(error instanceof CarillonError) || error.code !== 'store-locked' || Date.now() > untilMs) throw error
      await wait(pauseMs)
    }
  }
}
