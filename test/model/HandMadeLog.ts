/**
 * A log written by hand, tick by tick, and what the model says to each tick. Times are of one day, `09:30` or
 * `09:30:15`; states are known by a letter.
 */
import { agendaLimits } from '../../src/agenda/limits.js'
import { engineLimits } from '../../src/engine/limits.js'
import { vaultLimits } from '../../src/vault/limits.js'
import { ownNetworkId } from '../../src/identity/NetworkId.js'
import { carillonVersion, logFormat } from '../../src/log/logFormat.js'
import { sha256 } from '../../src/encoding/hash.js'
import type { Activity } from '../../src/ledger/Activity.js'
import { parseRef, showRef, type StateRef } from '../../src/ledger/StateRef.js'
import type { Assessment } from '../../src/ledger/Assessment.js'
import type { DomainEvent, EventOf, Waiting } from '../../src/log/events.js'
import {
  agendaOf,
  applyEvent,
  checkTick,
  emptyModel,
  predictAttempt,
  predictedFlowId,
  type ModelCause,
  type ModelState,
} from '../../src/model/index.js'
import { testParty } from '../../src/testing/testParty.js'
import { instant, type Instant } from '../../src/time/Instant.js'

export const me = testParty('Me')

/** An instant of the day. */
export const at = (time: string): Instant => instant(`2026-01-01T${time}Z`)

/** What a state asks for. */
export const asks = (time: string, more: Partial<Activity> = {}): Pick<Assessment, 'activity'> => ({
  activity: { at: at(time), flow: { name: 'Work', input: null }, ...more },
})

/** The ref of the state that is known by a letter: the first output of a transaction of that name. */
export const refOf = (letter: string): StateRef => parseRef(`${sha256(letter)}:0`)

export const error = (code: string): { readonly code: string; readonly message: string } => ({ code, message: 'no' })

export class HandMadeLog {
  readonly model = emptyModel({ ...engineLimits, ...agendaLimits, ...vaultLimits })
  #revision = 0
  #now = at('00:00')

  /** Adds a tick. Gives what the model has against it, one sentence each; nothing when it is as it must be. */
  tick(time: string, ...events: readonly (DomainEvent | readonly DomainEvent[])[]): readonly string[] {
    return this.tickOf({ time, bytes: 1_000 }, ...events)
  }

  /** As {@link tick}, with a size. */
  tickOf(
    { time, bytes }: { readonly time: string; readonly bytes: number },
    ...events: readonly (DomainEvent | readonly DomainEvent[])[]
  ): readonly string[] {
    this.#now = at(time)
    const tick = { at: this.#now, firstRevision: this.#revision, events: events.flat(), bytes }
    this.#revision += tick.events.length
    return checkTick(this.model, tick).map(({ what }) => what)
  }

  state(letter: string): ModelState {
    const state = this.model.states.get(showRef(refOf(letter)))
    if (state === undefined) throw new Error(`There is no state ${letter}.`)
    return state
  }

  /** The agenda as letters of the given states, in order. */
  agenda(...letters: readonly string[]): string {
    const named = new Map(letters.map((letter) => [showRef(refOf(letter)), letter]))
    return agendaOf(this.model)
      .map(({ ref }) => named.get(showRef(ref)) ?? '?')
      .join('')
  }

  /** How the attempts at a state came out. */
  outcomes(letter: string): readonly string[] {
    return this.state(letter).attempts.map(({ outcome }) => outcome)
  }

  start(reason: 'start' | 'takeover' = 'start'): DomainEvent {
    return {
      ...{ type: 'NodeStarted', reason, party: me, app: 'app', appVersion: '1', term: this.model.node.term + 1 },
      ...{ format: logFormat, carillon: carillonVersion, network: ownNetworkId(me.key) },
    }
  }

  /** A transaction that produces the state of a letter, and consumes those of others. */
  produce(
    letter: string,
    said: Partial<Assessment> = {},
    ...consumes: readonly string[]
  ): EventOf<'TransactionRecorded'> {
    return {
      type: 'TransactionRecorded',
      id: refOf(letter).transaction,
      body: {
        inputs: consumes.map(refOf),
        references: [],
        outputs: [{ type: 'State', version: 1, contract: { name: 'Contract', version: 1 }, data: { letter } }],
        commands: [],
        signers: [],
        notary: me,
        salt: '',
      },
      assessments: [{ relevant: true, participants: [me.key], ...said }],
    }
  }

  /** The flow that the model expects at a time for a state, started. The events before it in the tick are given. */
  begins(
    time: string,
    letter: string,
    cause: ModelCause = 'due',
    before: readonly DomainEvent[] = [],
  ): EventOf<'FlowStarted'> {
    const model = structuredClone(this.model)
    before.forEach((event) => {
      applyEvent(model, event, { revision: this.#revision, at: at(time) })
    })
    const state = model.states.get(showRef(refOf(letter)))
    if (state === undefined) throw new Error(`There is no state ${letter}.`)
    const predicted = predictAttempt(state, cause, at(time))
    const { ref, due, attempt, latenessMs, outcome } = predicted
    const start = typeof outcome === 'string' ? { name: 'Work', input: null } : outcome.start
    const why = typeof outcome === 'string' ? cause : outcome.cause
    const origin = { kind: 'activity', ref, due, attempt, latenessMs, cause: why } as const
    return { type: 'FlowStarted', flow: predictedFlowId(predicted), ...start, version: 1, origin }
  }

  /** The flow of a state's activity, started and ended within a tick. */
  runs(
    time: string,
    letter: string,
    cause: ModelCause = 'due',
    outcome: 'completed' | 'failed' | 'killed' = 'completed',
  ): readonly [EventOf<'FlowStarted'>, EventOf<'FlowEnded'>] {
    const started = this.begins(time, letter, cause)
    const ended = { type: 'FlowEnded', flow: started.flow, outcome } as const
    return [started, outcome === 'completed' ? ended : { ...ended, error: error('flow-threw') }]
  }

  waits(flow: string, waiting: Waiting): DomainEvent {
    return { type: 'FlowAdvanced', flow, operations: [], waiting: [waiting] }
  }
}
