/**
 * What must be true of activities: each occurrence has one outcome, none is lost, early, or run for a state that is
 * gone. The agenda that the views show is compared with one that is worked out here from the log alone.
 */
import { Encoded } from '../../../encoding/canonical.js'
import { showRef } from '../../../ledger/StateRef.js'
import type { TransactionBody } from '../../../ledger/Transaction.js'
import type { AgendaEntry, AgendaQuery } from '../../../scheduler/readAgenda.js'
import { toMillis, type Instant } from '../../../time/Instant.js'
import type { Invariant, PartyAtEnd } from '../World.js'

/** One state as a naive reader of the log sees it. */
type Watched = {
  due: Instant | undefined
  /** When this node acts. */
  actsAt: Instant | undefined
  consumed: boolean
  /** Whether it waits for its time: nothing has been done about it yet. */
  waits: boolean
  paused: boolean
}

const inputsOf = (body: TransactionBody | Encoded): TransactionBody['inputs'] =>
  (body instanceof Encoded ? (JSON.parse(body.text) as TransactionBody) : body).inputs

class Reader {
  readonly states = new Map<string, Watched>()
  readonly found: string[] = []
  readonly #attempts = new Map<string, string>()
  readonly #flows = new Map<string, 'open' | 'ended'>()
  #draining = false
  #startedAt = -1
  /** Where the last flow of each occurrence ended. */
  readonly #ends = new Map<string, number>()
  readonly #occurrenceOf = new Map<string, string>()
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  read({ log }: PartyAtEnd): void {
    for (const { event, at, revision } of log) {
      const where = `${this.#name}, revision ${revision}`
      switch (event.type) {
        case 'NodeStarted':
          this.#startedAt = revision
          break
        case 'DrainingStarted':
          this.#draining = true
          break
        case 'DrainingEnded':
          this.#draining = false
          break
        case 'TransactionRecorded': {
          for (const ref of inputsOf(event.body)) {
            const state = this.states.get(showRef(ref))
            if (state !== undefined) state.consumed = true
          }
          event.assessments.forEach(({ activity, actsAt, failure }, index) => {
            this.states.set(`${event.id}:${index}`, {
              due: activity?.at,
              actsAt: actsAt ?? activity?.at,
              consumed: false,
              waits: activity !== undefined && failure === undefined,
              paused: false,
            })
          })
          break
        }
        case 'StateReassessed':
        case 'ActivityMoved': {
          const said = event.type === 'ActivityMoved' ? event : event.assessment
          const state = this.states.get(showRef(event.ref))
          if (state === undefined || event.type === 'StateReassessed') {
            // What a reassessment does to an activity that is under way is not this reader's business.
            this.states.delete(showRef(event.ref))
            break
          }
          state.due = said.activity?.at
          state.actsAt = said.actsAt ?? said.activity?.at
          break
        }
        case 'ActivityRemoved':
        case 'ActivityMissed':
        case 'ActivityParked':
        case 'ActivityDismissed':
          this.#settle(showRef(event.ref), { waits: false })
          break
        case 'ActivityPaused':
          this.#settle(showRef(event.ref), { paused: true })
          break
        case 'ActivityResumed':
          this.#settle(showRef(event.ref), { paused: false })
          break
        case 'ActivityStartFailed':
        case 'ActivityTriggered':
        case 'ActivityRetried':
          // When it is tried again is up to the back-off; that it is on the agenda is checked by the node's own views.
          this.states.delete(showRef(event.ref))
          break
        case 'FlowStarted': {
          if (this.#flows.has(event.flow)) this.found.push(`${where}: flow ${event.flow} is started twice`)
          this.#flows.set(event.flow, 'open')
          if (event.origin.kind !== 'activity') break
          const { ref, due, attempt, latenessMs, cause } = event.origin
          const occurrence = `${showRef(ref)} due ${due}, attempt ${attempt}`
          if (this.#attempts.has(occurrence)) this.found.push(`${where}: ${occurrence} is started twice`)
          this.#attempts.set(occurrence, event.flow)
          this.#occurrenceOf.set(event.flow, `${showRef(ref)} due ${due}`)
          if (cause === 'restart' && (this.#ends.get(`${showRef(ref)} due ${due}`) ?? -1) > this.#startedAt)
            this.found.push(`${where}: ${occurrence} is opened again, although the node was not started since`)
          const state = this.states.get(showRef(ref))
          if (state?.consumed === true) this.found.push(`${where}: ${occurrence} is started although it is consumed`)
          if (state?.paused === true && cause !== 'trigger')
            this.found.push(`${where}: ${occurrence} is started although it is paused`)
          if (this.#draining && cause !== 'trigger' && cause !== 'retry')
            this.found.push(`${where}: ${occurrence} is started although the node drains`)
          if (cause !== 'trigger' && toMillis(at) < toMillis(state?.actsAt ?? due))
            this.found.push(`${where}: ${occurrence} is started before its time, at ${at}`)
          if (latenessMs !== toMillis(at) - toMillis(due))
            this.found.push(`${where}: ${occurrence} started at ${at} has its lateness down as ${latenessMs} ms`)
          this.#settle(showRef(ref), { waits: false, paused: false })
          break
        }
        case 'FlowAdvanced':
        case 'FlowParked':
          if (this.#flows.get(event.flow) === 'ended')
            this.found.push(`${where}: flow ${event.flow} goes on after its end`)
          break
        case 'FlowEnded':
          if (this.#flows.get(event.flow) === 'ended') this.found.push(`${where}: flow ${event.flow} ends twice`)
          this.#flows.set(event.flow, 'ended')
          this.#ends.set(this.#occurrenceOf.get(event.flow) ?? '', revision)
          break
        default:
      }
    }
  }

  #settle(ref: string, change: Partial<Watched>): void {
    const state = this.states.get(ref)
    if (state !== undefined) Object.assign(state, change)
  }
}

/** Every occurrence has exactly one outcome, at its time, for a state that is there. */
export const oneOutcome: Invariant = {
  name: 'every occurrence has one outcome, and no flow two ends',
  violations: ({ parties }) =>
    parties.flatMap((party) => {
      const reader = new Reader(party.name)
      reader.read(party)
      return reader.found
    }),
}

const agendaOf = ({ inspect }: PartyAtEnd): ReadonlyMap<string, AgendaEntry> => {
  const entries = new Map<string, AgendaEntry>()
  let after: AgendaQuery['after']
  do {
    const page = inspect.agenda({ limit: 1_000, ...(after === undefined ? {} : { after }) })
    for (const entry of page.items) entries.set(showRef(entry.ref), entry)
    after = page.next
  } while (after !== undefined)
  return entries
}

/** No activity is lost: what is due has been started, what is not is on the agenda, at its time. */
export const nothingForgotten: Invariant = {
  name: 'no activity is forgotten',
  violations: ({ parties, network }) =>
    parties.flatMap((party) => {
      const reader = new Reader(party.name)
      reader.read(party)
      const agenda = agendaOf(party)
      const nowMs = network.clock.now()
      const found = [...agenda.values()]
        .filter(({ actsAt, due }) => due !== undefined && toMillis(actsAt ?? due) < nowMs)
        .map(
          ({ ref, due }) => `${party.name}: state ${showRef(ref)} has been due since ${due ?? ''}, and is not started`,
        )
      for (const [ref, { actsAt, consumed, waits, paused }] of reader.states) {
        const entry = agenda.get(ref)
        // Only what concerns the party is scheduled; the log alone does not say so for every state.
        if (consumed && entry !== undefined)
          found.push(`${party.name}: state ${ref} is consumed, and still on the agenda`)
        if (consumed || paused || !waits || actsAt === undefined) continue
        if (entry === undefined) found.push(`${party.name}: state ${ref} asks for ${actsAt}, and is not on the agenda`)
        else if ((entry.actsAt ?? entry.due) !== actsAt)
          found.push(
            `${party.name}: state ${ref} asks for ${actsAt}; the agenda has ${entry.actsAt ?? entry.due ?? ''}`,
          )
      }
      return found
    }),
}

/** A wait after a fault that may still be under way when everything is mended. */
const graceMs = 60_000

/** Once everything is mended, whatever falls due is started at that very instant. */
export const onTime: Invariant = {
  name: 'nothing is late once everything is mended',
  violations: ({ parties, mendedAt }) =>
    parties.flatMap(({ name, log }) => {
      const turns = new Map<string, Instant>()
      return log.flatMap(({ event, at }) => {
        if (event.type === 'TransactionRecorded')
          event.assessments.forEach(({ activity, actsAt }, index) => {
            const asked = actsAt ?? activity?.at
            // A state may be made when its time has come already, as one that catches up is.
            const turn = asked === undefined || toMillis(asked) > toMillis(at) ? asked : at
            if (turn !== undefined) turns.set(`${event.id}:${index}`, turn)
          })
        if (event.type !== 'FlowStarted' || event.origin.kind !== 'activity' || event.origin.cause !== 'due') return []
        const turn = turns.get(showRef(event.origin.ref))
        if (turn === undefined || toMillis(turn) < toMillis(mendedAt) + graceMs || toMillis(at) <= toMillis(turn))
          return []
        return [`${name}: ${event.name} of state ${showRef(event.origin.ref)} was due at ${turn} and started at ${at}`]
      })
    }),
}
