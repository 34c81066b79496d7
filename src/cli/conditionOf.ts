/**
 * How the node that runs on a store is at this moment; undefined when none answers.
 */
import { ControlClient } from '../node/ControlClient.js'
import type { Condition } from '../operator/controlProtocol.js'

export const conditionOf = async (store: string): Promise<Condition | undefined> => {
  const client = await ControlClient.connect(store)
  if (client === undefined) return undefined
  try {
    return await client.condition()
  } finally {
    client.close()
  }
}
