/**
 * What an operator does while no node runs: one tick, decided by the same functions as in a node, appended to
 * the store under its lock. No app code is needed, and no start of a node is recorded.
 */
import { defineApp } from '../app/App.js'
import { Registry } from '../app/Registry.js'
import { CarillonError } from '../errors/CarillonError.js'
import { orThrow } from '../errors/Decision.js'
import type { KeyPair } from '../identity/KeyPair.js'
import { NetworkMap } from '../identity/NetworkMap.js'
import { PublicKeyC } from '../identity/PublicKey.js'
import { LineBuffer } from '../log/LineBuffer.js'
import { latestInstantMs } from '../time/Instant.js'
import { systemClock } from '../time/SystemClock.js'
import { assertNewestSigned } from '../engine/assertNewestSigned.js'
import { decideOperatorRequest } from '../operator/decideOperatorRequest.js'
import type { OperatorRequest } from '../operator/OperatorRequest.js'
import { OpenTick } from '../engine/OpenTick.js'
import { RecentMoves } from '../engine/RecentMoves.js'
import { assertStore } from './readStore.js'
import { tickLimits } from '../engine/limits.js'
import { SignedTransactionReader } from '../engine/readSignedTransaction.js'
import { systemRandom } from '../identity/systemRandom.js'
import { openStoreFolder } from './StoreFolder.js'
import type { TickStore } from '../storage/TickStore.js'

/** A tick on a store without a node. */
export const openOfflineTick = (store: TickStore, key: KeyPair): OpenTick => {
  const { app, partyName, partyKey } = store.views.facts.now
  const { signer } = store.views.facts
  if (signer === undefined)
    throw new CarillonError(
      'request-invalid',
      'No node has ever run on this store, so there is nothing to act on. Start the node first.',
    )
  if (signer.key !== key.publicKey)
    throw new CarillonError(
      'store-foreign',
      `The log is signed with ${signer.key}, and the key at hand is ${key.publicKey}. Put the node's own key file beside the store.`,
      { expected: signer.key, actual: key.publicKey },
    )
  assertNewestSigned(store)
  return new OpenTick(
    {
      me: { name: partyName ?? 'Me', key: PublicKeyC.is(partyKey) ? partyKey : key.publicKey },
      key,
      registry: new Registry(defineApp({ name: app ?? 'none', states: [], flows: [] })),
      network: new NetworkMap([], signer.network),
      lines: new LineBuffer(),
      signedTransactions: new SignedTransactionReader(store.tick, (tick) => store.views.facts.signerOf(tick)?.key),
      random: systemRandom,
      development: false,
      waitMs: () => 0,
      moves: new RecentMoves(tickLimits.engine),
      isWriterIdle: () => false,
      limits: tickLimits,
    },
    store.views,
    store.head(),
    Math.min(systemClock.now(), latestInstantMs),
  )
}

/** Commits a tick that was decided without a node; an empty one leaves no trace. */
export const commitOffline = async (store: TickStore, tick: OpenTick): Promise<void> => {
  if (tick.isEmpty) {
    store.rollback()
    return
  }
  const outcome = await store.commit(tick.seal())
  if (outcome.kind === 'appended') return
  throw outcome.kind === 'refused'
    ? new CarillonError(
        'log-revision-conflict',
        `Another process has appended to this log, up to revision ${outcome.head.revision}. Nothing was recorded.`,
        { revision: outcome.head.revision },
      )
    : outcome.error
}

/** Applies one request to the store itself. Refused with `store-locked` while a process holds the store. */
export const operateOffline = async (
  folder: string,
  request: OperatorRequest,
  { by }: { readonly by: string },
): Promise<void> => {
  assertStore(folder)
  // What a signal may say is known to the app alone.
  if (request.on === 'signal')
    throw new CarillonError('node-not-running', 'A signal needs the running node, which knows what it may say.')
  const { store, key, releaseHold } = await openStoreFolder(folder)
  try {
    await store.assertSound?.()
    const tick = openOfflineTick(store, key)
    store.begin()
    try {
      for (const event of orThrow(decideOperatorRequest(tick, request, by))) tick.emit(event)
    } catch (error) {
      store.rollback()
      throw error
    }
    await commitOffline(store, tick)
  } finally {
    await releaseHold()
  }
}
