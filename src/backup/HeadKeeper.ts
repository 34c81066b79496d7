/**
 * Lets others know where this node's log stands. Some time after something new was recorded a checkpoint is signed
 * and sent to the parties the node talks with, who keep it; what they keep is compared with the log whenever they say so. A network
 * in which nothing happens is silent, and so is a party that does not answer after a few tries.
 */
import type { ActiveTick } from '../engine/ActiveTick.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { waitAfter } from '../flow/RetryPolicy.js'
import { decideCheckpoint } from '../session/decideCheckpoint.js'
import { isNewerCheckpoint, signCheckpoint, verifyCheckpoint, type Checkpoint } from '../log/Checkpoint.js'
import type { KeyPair } from '../identity/KeyPair.js'
import type { NetworkMap } from '../identity/NetworkMap.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { BackupLimits } from './limits.js'
import type { SessionLimits } from '../session/limits.js'
import type { Envelope, CheckpointEnvelope } from '../log/Message.js'
import type { Transport } from '../session/Transport.js'
import type { Clock } from '../time/Clock.js'
import { instantFromMillis } from '../time/Instant.js'
import type { ReadViews } from '../engine/Views.js'
import type { Committed } from '../engine/Committed.js'
import type { Logger } from '../engine/Logger.js'
import { RepeatedWarnings } from '../engine/RepeatedWarnings.js'
import type { Loop } from '../engine/Loop.js'
import type { TickStore } from '../storage/TickStore.js'
import { assertHolds } from './assertHolds.js'

export type HeadKeeperParts = {
  readonly loop: Loop
  readonly store: TickStore
  readonly transport: Transport
  /** Asked anew each time: the map may change while the node runs. */
  readonly network: () => NetworkMap
  readonly key: KeyPair
  /** The party's identity. */
  readonly me: PublicKey
  readonly clock: Clock
  readonly logger: Logger
  readonly limits: { readonly session: SessionLimits; readonly backup: BackupLimits }
}

/** A party that has been told, or asked, and has not answered yet. */
type Untold = { tries: number; nextMs: number }

export class HeadKeeper {
  readonly #parts: HeadKeeperParts
  readonly #resend: Parameters<typeof waitAfter>[0]
  readonly #warnings: RepeatedWarnings
  readonly #untold = new Map<PublicKey, Untold>()
  /** Those who did not answer however often they were told; they are told again when they are heard of. */
  readonly #silent = new Set<PublicKey>()
  /**
   * Those whose answer the log was compared with since the start. Before that nobody is told anything: a log that has
   * forked does so at a start, and its new head must not take the place of the one that would give it away.
   */
  readonly #compared = new Set<PublicKey>()
  #newest: Checkpoint | undefined
  /** Whether something was recorded since the newest checkpoint was made. */
  #hasNews = false
  /** When the next checkpoint is due; undefined when nothing is new. */
  #dueMs: number | undefined
  #isUnderWay = false
  #cancelWake: () => void = () => undefined
  #stopped = false

  constructor(parts: HeadKeeperParts) {
    this.#parts = parts
    this.#warnings = new RepeatedWarnings(parts.logger)
    const { resendFirstMs, resendLongestMs } = parts.limits.session
    this.#resend = { firstWaitMs: resendFirstMs, longestWaitMs: resendLongestMs }
    parts.loop.follow((committed) => this.#committed(committed))
  }

  /** Tells the others where the log stands after a start, and so learns whether they have seen more of it. */
  start(): void {
    void this.#inTick((tick) => {
      const checkpoint = this.#sign(tick.views)
      const witnesses = this.#witnesses(tick.views)
      tick.release(() => {
        this.#newest = checkpoint
        this.#tell(witnesses)
      })
    })
  }

  /** From now on only the checkpoint of a clean stop is still sent, when it is durable. */
  stop(): void {
    this.#stopped = true
    this.#cancelWake()
  }

  /** Something has come from a party: it can be reached. */
  heardFrom(party: PublicKey): void {
    if (!this.#silent.delete(party)) return
    this.#tell([party])
  }

  #warn(from: PublicKey, message: string): void {
    this.#warnings.warn(from, message, { from }, this.#parts.clock.now())
  }

  /** Resolves once the envelope has been decided on. */
  async take(from: PublicKey, envelope: CheckpointEnvelope): Promise<void> {
    const { loop, transport } = this.#parts
    switch (envelope.kind) {
      case 'checkpoint': {
        const verdict = await loop.submit((tick) => {
          const decided = decideCheckpoint(tick, from, envelope.checkpoint)
          if (decided.kind === 'answered') for (const event of decided.events) tick.emit(event)
          return decided
        })
        if (verdict.kind === 'refused') {
          this.#warn(from, 'A checkpoint was refused that its sender has no right to send.')
          return
        }
        if (verdict.notice !== undefined) this.#warn(from, verdict.notice)
        if (!this.#stopped) transport.send(from, [{ kind: 'checkpoint-kept', checkpoint: verdict.checkpoint }])
        return
      }
      case 'checkpoint-asked': {
        const checkpoint = await loop.submit(({ views }) => views.heads.kept(from))
        if (!this.#stopped)
          transport.send(from, [{ kind: 'checkpoint-kept', ...(checkpoint === undefined ? {} : { checkpoint }) }])
        return
      }
      case 'checkpoint-kept': {
        const { checkpoint } = envelope
        if (checkpoint !== undefined && !(await this.#compare(from, checkpoint))) return
        this.#answered(from, checkpoint)
      }
    }
  }

  #answered(from: PublicKey, kept: Checkpoint | undefined): void {
    const isFirst = !this.#compared.has(from)
    this.#compared.add(from)
    const keepsLess = this.#newest !== undefined && (kept === undefined || isNewerCheckpoint(this.#newest, kept))
    if (!keepsLess) this.#untold.delete(from)
    else if (isFirst && !this.#stopped) this.#tell([from])
  }

  /** Compares the log with what another party keeps of it; a contradiction stops the node. False when it is not ours. */
  async #compare(from: PublicKey, checkpoint: Checkpoint): Promise<boolean> {
    const { loop, store, network, clock } = this.#parts
    const { facts } = store.views
    const isKnown = facts.now.signers.some(({ key }) => key === checkpoint.by)
    // With a key that this log does not know and the map does, a longer log of this node was signed.
    const isLater = !isKnown && network().identityOf(checkpoint.by) === this.#parts.me
    // A retired key counts for what it could have signed, and nothing after that.
    const isOurs = isLater || [0, 1].some((after) => facts.signerOf(checkpoint.tick + after)?.key === checkpoint.by)
    if (!isOurs || checkpoint.network !== network().id || !verifyCheckpoint(checkpoint)) {
      this.#warn(from, 'What another party says it keeps is not a checkpoint that this node has signed.')
      return false
    }
    const { revision } = store.head()
    try {
      await loop.submit(({ views }) => {
        const log = { head: store.head, tick: store.tick, continuedAt: views.heads.continuedAt }
        assertHolds(log, checkpoint, network().member(from)?.party.name ?? from)
      })
      return true
    } catch (error) {
      if (error instanceof CarillonError && error.code === 'head-contradicted')
        store.mark?.({ from: 'peers', at: instantFromMillis(clock.now()), revision })
      throw error
    }
  }

  #committed(committed: Committed): void {
    if (committed.has('NodeStopped')) {
      const { views } = this.#parts.store
      const last = this.#sign(views)
      for (const to of this.#witnesses(views)) this.#send(to, last)
      return
    }
    if (this.#stopped || !committed.hasNews) return
    this.#hasNews = true
    if (this.#dueMs !== undefined) return
    this.#dueMs = this.#parts.clock.now() + this.#parts.limits.backup.checkpointMs
    this.#wakeInTime()
  }

  /** A checkpoint where the views stand. It must not be sent before that is durable. */
  #sign({ facts, heads }: ReadViews): Checkpoint | undefined {
    const { key } = this.#parts
    const { network } = facts.signer ?? {}
    return network === undefined
      ? undefined
      : signCheckpoint(key, facts.now.head, { network, range: facts.range, continuedAt: heads.continuedAt })
  }

  #witnesses({ heads }: ReadViews): readonly PublicKey[] {
    const { me, network } = this.#parts
    return heads
      .peers(me, this.#parts.limits.backup.headWitnesses)
      .filter((party) => network().member(party) !== undefined)
  }

  #send(to: PublicKey, checkpoint: Checkpoint | undefined): void {
    const envelope: Envelope =
      checkpoint === undefined ? { kind: 'checkpoint-asked' } : { kind: 'checkpoint', checkpoint }
    this.#parts.transport.send(to, [envelope])
  }

  #tell(parties: readonly PublicKey[]): void {
    for (const party of parties) {
      this.#silent.delete(party)
      this.#untold.set(party, { tries: 0, nextMs: this.#parts.clock.now() })
    }
    this.#sendDue()
  }

  /** Sends to those whose time has come. */
  #sendDue(): void {
    const nowMs = this.#parts.clock.now()
    for (const [party, untold] of this.#untold) {
      if (untold.nextMs > nowMs) continue
      if (untold.tries === this.#parts.limits.backup.headSends) {
        this.#untold.delete(party)
        this.#silent.add(party)
        continue
      }
      untold.tries += 1
      untold.nextMs = nowMs + waitAfter(this.#resend, untold.tries)
      this.#send(party, this.#compared.has(party) ? this.#newest : undefined)
    }
    this.#wakeInTime()
  }

  /** The clock may wake whom it likes too early; what is due is looked at anew. */
  #wakeInTime(): void {
    this.#cancelWake()
    if (this.#stopped) return
    const nextMs = Math.min(
      this.#dueMs ?? Number.POSITIVE_INFINITY,
      ...[...this.#untold.values()].map((untold) => untold.nextMs),
    )
    if (nextMs === Number.POSITIVE_INFINITY) return
    this.#cancelWake = this.#parts.clock.wakeAt(nextMs, () => {
      if (this.#stopped) return
      if (this.#dueMs !== undefined && this.#dueMs <= this.#parts.clock.now()) void this.#signAndTell()
      this.#sendDue()
    })
  }

  async #signAndTell(): Promise<void> {
    this.#dueMs = undefined
    if (this.#isUnderWay) return
    this.#isUnderWay = true
    const isDone = await this.#inTick((tick) => {
      const witnesses = this.#witnesses(tick.views)
      if (witnesses.length === 0) return
      const checkpoint = this.#hasNews ? this.#sign(tick.views) : this.#newest
      this.#hasNews = false
      // Only when all that it covers is durable.
      tick.release(() => {
        this.#newest = checkpoint
        if (!this.#stopped) this.#tell(witnesses)
      })
    })
    this.#isUnderWay = false
    if (isDone || this.#stopped) return
    this.#dueMs ??= this.#parts.clock.now() + this.#parts.limits.backup.checkpointMs
    this.#wakeInTime()
  }

  /** False when the node was too busy, or has stopped. */
  async #inTick(decide: (tick: ActiveTick) => void): Promise<boolean> {
    try {
      await this.#parts.loop.submit(decide)
      return true
    } catch (error) {
      if (!this.#stopped)
        this.#parts.logger.info(`Where the log stands was not told to others: ${messageOf(error)}`, {})
      return false
    }
  }
}
