/**
 * Judges the flows in a campaign's log: each started once and ended once, each attempt made once and in order, each
 * step with an outside effect behind it and a cause before it, no sleeper woken early.
 */
import { showRef } from '../../src/ledger/StateRef.js'
import type { EventOf } from '../../src/log/events.js'
import { toMillis } from '../../src/time/Instant.js'
import type { Effect } from './campaignLines.js'
import type { Evidence } from './Evidence.js'

type FlowSoFar = {
  readonly name: string
  recorded: number
  /** Operations recorded so far, by part. */
  readonly ofPart: Map<string, number>
  asleepUntilMs: number | undefined
  ended: boolean
}

/** A step whose result is on the log, by the idempotency keys that it may have had. */
type RecordedStep = { readonly keys: readonly string[]; readonly result: unknown }

type Findings = {
  readonly faults: string[]
  readonly flows: Map<string, FlowSoFar>
  /** The attempts made at each occurrence. */
  readonly attempts: Map<string, number>
  /** Every step that was ever waited for: only these may have had an effect. */
  readonly asked: Set<string>
  readonly steps: RecordedStep[]
}

const attempt = ({ faults, attempts }: Findings, occurrence: string, number: number): void => {
  const before = attempts.get(occurrence) ?? 0
  if (number !== before + 1) faults.push(`occurrence ${occurrence} has attempt ${number} after attempt ${before}`)
  attempts.set(occurrence, number)
}

const start = (findings: Findings, { flow, name, origin }: EventOf<'FlowStarted'>): void => {
  if (findings.flows.has(flow)) findings.faults.push(`flow ${flow} (${name}) is started twice`)
  findings.flows.set(flow, { name, recorded: 0, ofPart: new Map(), asleepUntilMs: undefined, ended: false })
  if (origin.kind === 'activity') attempt(findings, `${showRef(origin.ref)} at ${origin.due}`, origin.attempt)
}

/** The flow an event is about, which must be under way; and if it slept, its time must have come. */
const goOn = ({ faults, flows }: Findings, flow: string, atMs: number): FlowSoFar | undefined => {
  const known = flows.get(flow)
  if (known === undefined) {
    faults.push(`flow ${flow} goes on without a start`)
    return undefined
  }
  if (known.ended) faults.push(`flow ${flow} (${known.name}) goes on after its end`)
  if (known.asleepUntilMs !== undefined && atMs < known.asleepUntilMs)
    faults.push(`flow ${flow} (${known.name}) woke ${known.asleepUntilMs - atMs} ms early`)
  known.asleepUntilMs = undefined
  return known
}

/** The key of the step that a flow, or one of its parts, asks for next; one that cleans up in a part has another. */
const keysOfStep = (flow: string, { recorded, ofPart }: FlowSoFar, part: string | undefined): readonly string[] => {
  if (part === undefined) return [`${flow}.${recorded}`]
  const key = `${flow}.${part}.${ofPart.get(part) ?? 0}`
  return [key, `${key}c`]
}

const checkEffects = ({ faults, asked, steps }: Findings, effects: readonly Effect[]): void => {
  const receipts = new Map<string, string[]>()
  const inTerm = new Set<string>()
  const processOf = new Map<number, number>()
  for (const { key, term, process, name, receipt } of effects) {
    const owner = processOf.get(term) ?? process
    if (owner !== process) faults.push(`step "${name}" ${key} took effect in term ${term}, which is another process's`)
    processOf.set(term, owner)
    if (!asked.has(key)) faults.push(`step "${name}" ${key} took effect, but the log does not know it`)
    // No step of the campaign fails, so only a restart may run one again.
    if (inTerm.has(`${key} ${term}`)) faults.push(`step "${name}" ${key} took effect twice in term ${term}`)
    inTerm.add(`${key} ${term}`)
    receipts.set(key, [...(receipts.get(key) ?? []), receipt])
  }
  for (const { keys, result } of steps) {
    const taken = keys.flatMap((key) => receipts.get(key) ?? [])
    if (taken.length === 0) faults.push(`step ${keys[0]} is recorded as done, but never took effect`)
    else if (!taken.some((receipt) => receipt === result))
      faults.push(`step ${keys[0]} is recorded with ${JSON.stringify(result)}, which none of its effects returned`)
  }
}

export const checkFlows = ({ events, effects }: Evidence): readonly string[] => {
  const findings: Findings = { faults: [], flows: new Map(), attempts: new Map(), asked: new Set(), steps: [] }
  const { faults, flows } = findings
  for (const { event, atMs } of events) {
    switch (event.type) {
      case 'FlowStarted':
        start(findings, event)
        break
      case 'FlowAdvanced': {
        const known = goOn(findings, event.flow, atMs)
        if (known === undefined) break
        for (const operation of event.operations) {
          if (operation.kind === 'step')
            findings.steps.push({ keys: keysOfStep(event.flow, known, operation.part), result: operation.result })
          known.recorded += 1
          const { part } = operation
          if (part !== undefined) known.ofPart.set(part, (known.ofPart.get(part) ?? 0) + 1)
        }
        for (const wait of event.waiting) {
          // Another part may well go on while one is asleep.
          if (wait.for === 'instant' && wait.part === undefined) known.asleepUntilMs = toMillis(wait.until)
          if (wait.for === 'step') for (const key of keysOfStep(event.flow, known, wait.part)) findings.asked.add(key)
        }
        break
      }
      case 'FlowEnded': {
        const known = goOn(findings, event.flow, atMs)
        if (known !== undefined) known.ended = true
        if (event.outcome !== 'completed' && event.outcome !== 'continued')
          faults.push(
            `flow ${event.flow} (${known?.name ?? '?'}) ended ${event.outcome}: ${event.error?.message ?? ''}`,
          )
        break
      }
      case 'FlowParked':
        faults.push(`flow ${event.flow} was parked: ${event.error.message}`)
        break
      case 'ActivityMissed':
      case 'ActivityStartFailed':
      case 'ActivityParked':
        // The app has a flow for every case, so none of these should ever happen.
        faults.push(`the activity of ${showRef(event.ref)} was not started: ${event.type}`)
        attempt(findings, `${showRef(event.ref)} at ${event.due}`, event.attempt)
        break
      default:
        break
    }
  }
  for (const [id, { name, ended }] of flows) if (!ended) faults.push(`flow ${id} (${name}) never ended`)
  checkEffects(findings, effects)
  return faults
}
