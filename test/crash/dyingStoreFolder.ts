/** A store folder whose process kills itself once so many ticks are durable, before anyone is told of the last of them. */
import { openStoreFolder } from '../../src/folder/StoreFolder.js'
import type { KeyPair } from '../../src/identity/KeyPair.js'
import type { TickStore } from '../../src/storage/TickStore.js'

export type DyingStoreFolder = {
  readonly store: TickStore
  readonly key: KeyPair
  /** Kills the process at once. */
  readonly die: () => void
}

/** The limits of a node that does one thing at a time: an operation of a flow, or what a client asks for. */
export const oneAtATime = { operationsPerTurn: 1, wakesPerTick: 1, inputsPerTick: 1 }

/** Starts and stops of the node alone are no step forward, and dying there would go on for ever. */
const movesOn = (line: string): boolean => !/"type":"(NodeStarted|NodeStopped|DrainingStarted)"/.test(line)

export const dyingStoreFolder = async (folder: string, ticks: number): Promise<DyingStoreFolder> => {
  const { store, key } = await openStoreFolder(folder, undefined, {}, { usesThread: false })
  const { commit } = store
  const die = (): void => {
    process.kill(process.pid, 'SIGKILL')
  }
  let left = ticks
  return {
    key,
    die,
    store: Object.assign(store, {
      commit: (tick: Parameters<typeof commit>[0]): ReturnType<typeof commit> => {
        const outcome = commit(tick)
        if (tick.events.some(movesOn)) left -= 1
        if (left === 0) die()
        return outcome
      },
    }),
  }
}
