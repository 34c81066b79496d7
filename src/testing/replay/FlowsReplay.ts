/**
 * Runs the flows of a log again: those that were suspended over their record, those that ended where they began with
 * the views of then. The first thing in which one differs is a problem.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import { canonicalText } from '../../encoding/canonical.js'
import { decodeWith } from '../../encoding/decode.js'
import { NodeFault, recordError } from '../../errors/CarillonError.js'
import { FlowEngine } from '../../engine/FlowEngine.js'
import type { FlowId } from '../../log/FlowId.js'
import { hasEnded, type FlowRow } from '../../flow/FlowRow.js'
import { replayFlow, type Replayed } from '../../engine/replayFlow.js'
import { recordReturned, Refusal } from '../../flow/Refusal.js'
import { waitsOf } from '../../flow/waiting.js'
import type { DomainEvent, EventOf, Waits } from '../../log/events.js'
import type { EncodedTick } from '../../log/Tick.js'
import type { SourcePlace } from '../traceFlows.js'
import { bodyOf, canonicalOrNothing, compareFacts, describeFact, describeStop, placeOfStop } from './describeFact.js'
import { listWaitingFlows } from '../../storage/queries/readFlows.js'
import { isSameFact } from './isSameFact.js'
import type { ReplayGround } from './ReplayGround.js'
import type { ReplayProblem } from './ReplayReport.js'

/** Thrown where a flow, run again, states another fact than the recorded one; it is of the node, so no flow catches it. */
class Departure extends NodeFault {
  readonly coded: DomainEvent

  constructor(coded: DomainEvent) {
    super('flow-diverged', 'The flow departs from its record.')
    this.coded = coded
  }
}

const differencePattern = /^operation (\d+) was recorded as ([\s\S]*); the code now ([\s\S]*)$/

/** Takes a recorded fact into the views. */
type Accept = (event: DomainEvent, revision: number) => void

export class FlowsReplay {
  readonly #ground: ReplayGround
  readonly #accept: Accept
  readonly problems: ReplayProblem[] = []
  /** Flows whose code was run again. */
  count = 0
  /** Those of them that could not be judged. */
  unjudged = 0

  constructor(ground: ReplayGround, accept: Accept) {
    this.#ground = ground
    this.#accept = accept
  }

  #flowProblem(
    { id, name }: Pick<FlowRow, 'id' | 'name'>,
    revision: number,
    difference: { readonly operation?: number; readonly recorded: string; readonly coded: string },
    source: SourcePlace | undefined = this.#ground.trace.place,
  ): void {
    const { operation, recorded, coded } = difference
    this.problems.push({
      kind: 'flow',
      revision,
      what: `Flow ${name} (${id}) no longer agrees with its record${operation === undefined ? '' : ` at operation ${operation}`}: recorded was ${recorded}; the code now gives ${coded}.`,
      flow: { id, name },
      ...(operation === undefined ? {} : { operation }),
      recorded,
      coded,
      ...(source === undefined ? {} : { source }),
    })
  }

  /**
   * A flow that ended in the tick it began in has no record but the facts it stated: it is run again by the engine
   * itself, and must state the very same ones. Gives the place in the tick to go on from.
   */
  runAgain(tick: EncodedTick, events: readonly (DomainEvent | undefined)[], start: number): number {
    const started = events[start]
    if (started?.type !== 'FlowStarted') return start
    const id = started.flow as FlowId
    const definition = this.#ground.registry.flow(started.name)
    const input = definition === undefined ? undefined : decodeWith(definition.input, started.input)
    let cursor = start
    const accept = (): void => {
      const event = events[cursor]
      if (event !== undefined) this.#accept(event, tick.firstRevision + cursor)
      cursor += 1
    }
    if (definition === undefined || input === undefined || isLeft(input)) {
      const what =
        input === undefined
          ? 'the app has no flow of this name'
          : `its codec refuses the input: ${isLeft(input) ? input.left.join('; ') : ''}`
      this.#flowProblem(
        { id, name: started.name },
        tick.firstRevision + start,
        { recorded: 'its start', coded: what },
        undefined,
      )
      accept()
      return cursor
    }
    const replayedTick = this.#ground.tick(
      (event) => {
        const recorded = events[cursor]
        const same =
          event.type === 'TransactionRecorded'
            ? recorded?.type === event.type && recorded.id === event.id
            : tick.events[cursor] === canonicalText(event) || isSameFact(recorded, event)
        if (!same) throw new Departure(event)
        accept()
      },
      {
        // The salt of the recorded transaction, so that the same transaction gets the same id.
        hex: (bytes) => {
          const next = events.slice(cursor).find((event) => event?.type === 'TransactionRecorded')
          const salt = next?.type === 'TransactionRecorded' ? bodyOf(next).salt : ''
          return salt.padEnd(bytes * 2, '0').slice(0, bytes * 2)
        },
      },
      () => events[cursor],
    )
    this.#ground.trace.begin()
    this.count += 1
    try {
      // What opened a session is recorded before the flow that answers it moves.
      const opening = events.slice(start + 1)
      const after = opening.findIndex((event) => !isOpening(event, id))
      new FlowEngine({ start: () => undefined }).startAs(
        replayedTick,
        { ...definition, version: started.version },
        { id, name: started.name, input: input.right, encodedInput: started.input, origin: started.origin },
        opening.slice(0, after < 0 ? opening.length : after).flatMap((event) => event ?? []),
      )
    } catch (error) {
      if (!(error instanceof Departure)) throw error
      if (this.#ground.trace.calls.includes('newId')) this.unjudged += 1
      else
        this.#flowProblem({ id, name: started.name }, tick.firstRevision + cursor, {
          operation: Math.max(0, this.#ground.trace.calls.length - 1),
          ...compareFacts(events[cursor], error.coded),
        })
    }
    return cursor
  }

  /** A flow that was suspended is run again over its record, just before the log says that it has ended. */
  checkEnd(event: EventOf<'FlowEnded'>, revision: number): void {
    const row = this.#ground.views.flows.find(event.flow as FlowId)
    if (row === undefined || hasEnded(row) || row.waiting === null) return
    const replayed = this.#replay(row, revision, event.outcome === 'killed' ? waitsOf(row) : undefined)
    if (replayed === undefined || event.outcome === 'killed') return
    const { stop } = replayed
    const position = row.recorded
    if (event.outcome === 'continued') {
      if (stop.kind !== 'asks' || stop.operation.kind !== 'continueAs')
        this.#flowProblem(
          row,
          revision,
          { operation: position, recorded: describeFact(event), coded: describeStop(stop) },
          placeOfStop(stop),
        )
      return
    }
    if (event.outcome === 'completed') {
      if (stop.kind !== 'returned' || !this.#endsAs(row, stop.result, event))
        this.#flowProblem(
          row,
          revision,
          { operation: position, recorded: describeFact(event), coded: describeStop(stop) },
          placeOfStop(stop),
        )
      return
    }
    const code = stop.kind === 'threw' ? recordError(stop.error, 'flow-threw').code : undefined
    if (stop.kind === 'returned' || (code !== undefined && code !== event.error?.code))
      this.#flowProblem(
        row,
        revision,
        { operation: position, recorded: describeFact(event), coded: describeStop(stop) },
        placeOfStop(stop),
      )
  }

  /** Whether what a flow returns is what its end has recorded. */
  #endsAs({ name }: FlowRow, returned: unknown, { result, refusal }: EventOf<'FlowEnded'>): boolean {
    if (!(returned instanceof Refusal))
      return refusal === undefined && canonicalOrNothing(returned) === canonicalOrNothing(result)
    try {
      const { refusals } = this.#ground.registry.flow(name) ?? {}
      return (
        refusal !== undefined &&
        canonicalText(recordReturned(returned, refusals, Infinity)) === canonicalText({ refusal })
      )
    } catch {
      return false
    }
  }

  /** Flows that are still open where the log ends, run again up to what they wait for. */
  checkOpen(revision: number): void {
    for (const id of listWaitingFlows(this.#ground.db)) {
      const row = this.#ground.views.flows.find(id)
      // A parked flow has been reported when it was parked.
      if (row !== undefined && row.status !== 'parked') this.#replay(row, revision, waitsOf(row))
    }
  }

  #replay(row: FlowRow, revision: number, waits: Waits | undefined): Replayed | undefined {
    this.#ground.trace.begin()
    this.count += 1
    const replayed = replayFlow(this.#ground.looking, row, this.#ground.views.flows.record(row), waits)
    if (!isLeft(replayed)) return replayed.right
    const { details, message } = replayed.left
    const [, operation, recorded, coded] = differencePattern.exec(String(details['difference'] ?? '')) ?? []
    if (recorded === undefined || coded === undefined)
      this.#flowProblem(row, revision, { recorded: 'a flow that could be run', coded: message })
    else
      this.#flowProblem(row, revision, {
        operation: Number(operation),
        recorded,
        coded: coded.replace(/^asks for /, ''),
      })
    return undefined
  }
}

/** Whether the flow that starts here ends within the same tick, without having been suspended or parked. */
export const endsAtOnce = (events: readonly (DomainEvent | undefined)[], start: number): boolean => {
  const started = events[start]
  // One that another flow has started takes its first turn later, among others.
  if (started?.type !== 'FlowStarted' || started.origin.kind === 'flow' || started.origin.kind === 'continued')
    return false
  for (const event of events.slice(start + 1)) {
    if (event === undefined) return false
    if (event.type === 'FlowEnded' && event.flow === started.flow) return event.outcome !== 'killed'
    if ((event.type === 'FlowAdvanced' || event.type === 'FlowParked') && event.flow === started.flow) return false
  }
  return false
}

const isOpening = (event: DomainEvent | undefined, flow: FlowId): boolean =>
  (event?.type === 'SessionOpened' && event.role === 'responder' && event.flow === flow) ||
  (event?.type === 'MessageReceived' && event.role === 'responder' && event.seq === 0)
