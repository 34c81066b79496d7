/**
 * Asks the other parties of a network which checkpoints of one's own log they keep, without a node and without recording
 * anything. Only those count that bear one's own signature; nobody can make one up.
 */
import { verifyCheckpoint, type Checkpoint } from '../log/Checkpoint.js'
import type { NetworkMap } from '../identity/NetworkMap.js'
import type { Party } from '../identity/Party.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { restoreLimits } from './limits.js'
import type { Transport } from '../session/Transport.js'
import type { Clock } from '../time/Clock.js'

/** The way to the other parties, and who they are. */
export type Peers = { readonly transport: Transport; readonly network: NetworkMap; readonly clock: Clock }

/** What the other parties have answered; no checkpoint from those who keep none. */
export type PeersAnswers = {
  readonly answered: ReadonlyMap<PublicKey, Checkpoint | undefined>
  /** Those whose answer mattered and who did not give one. */
  readonly silent: readonly Party[]
}

/** How long the others are waited for once everyone has answered whose answer matters. */
const graceMs = 2_000
const askAgainMs = 1_000

/**
 * Asks everyone, and waits for all whose answer matters, at most the time that is allowed. `matter` are the parties that
 * the log has talked with, `isOwn` says whether a key is this party's.
 */
export const askPeers = (
  { transport, network, clock }: Peers,
  me: string,
  matter: ReadonlySet<PublicKey>,
  isOwn: (key: PublicKey) => boolean,
  waitMs: number = restoreLimits.partiesAnswerMs,
): Promise<PeersAnswers> => {
  const members = network.members.map(({ party }) => party).filter(({ key }) => key !== me)
  // Those who matter first: a large network is not asked as a whole.
  const asked = [
    ...members.filter(({ key }) => matter.has(key)),
    ...members.filter(({ key }) => !matter.has(key)),
  ].slice(0, restoreLimits.partiesAsked)
  const answered = new Map<PublicKey, Checkpoint | undefined>()
  const startedMs = clock.now()
  const silent = (): readonly Party[] => asked.filter(({ key }) => matter.has(key) && !answered.has(key))
  return new Promise((resolve) => {
    let isOver = false
    let cancelWake = (): void => undefined
    const isEnough = (): boolean => {
      const tookMs = clock.now() - startedMs
      const hasAll = answered.size === asked.length
      return hasAll || tookMs >= waitMs || (silent().length === 0 && answered.size > 0 && tookMs >= graceMs)
    }
    const finishIfEnough = (): void => {
      if (isOver || !isEnough()) return
      isOver = true
      cancelWake()
      resolve({ answered, silent: silent() })
    }
    transport.listen((from, envelopes) => {
      if (isOver || !asked.some(({ key }) => key === from)) return
      for (const envelope of envelopes) {
        if (envelope.kind !== 'checkpoint-kept') continue
        const { checkpoint } = envelope
        if (checkpoint === undefined) answered.set(from, undefined)
        else if (isOwn(checkpoint.by) && verifyCheckpoint(checkpoint)) answered.set(from, checkpoint)
      }
      finishIfEnough()
    })
    let askMs = startedMs
    const ask = (): void => {
      if (isOver) return
      if (askMs <= clock.now()) {
        askMs = clock.now() + askAgainMs
        for (const { key } of asked) if (!answered.has(key)) transport.send(key, [{ kind: 'checkpoint-asked' }])
      }
      finishIfEnough()
      if (!isEnough()) cancelWake = clock.wakeAt(askMs, ask)
    }
    ask()
  })
}
