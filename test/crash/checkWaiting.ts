/**
 * Judges the flows in a campaign's log that wait: each signal kept once and taken once, in order; each child started once,
 * and joined with what it returned; each continuation given one flow; and whatever was begun outside undone, or wanted.
 */
import type { EventOf } from '../../src/log/events.js'
import type { Effect } from './campaignLines.js'
import type { Evidence } from './Evidence.js'
import { bookings, Count, HeardC, Meet, MetC, Oversee, travels, UndoneC } from './waitingApp.js'

type Ended = {
  readonly flow: string
  readonly name: string
  readonly result: unknown
}

type Findings = {
  readonly faults: string[]
  readonly started: Map<string, EventOf<'FlowStarted'>>
  readonly ended: Ended[]
  /** The signals a flow has and has not taken, by their numbers. */
  readonly kept: Map<string, number[]>
  /** The flow that a signal id was recorded for. */
  readonly signals: Map<string, string>
  /** What has consumed the states of a transaction, by the transaction. */
  readonly consumedBy: Map<string, string>
  /** The steps of a flow that the record says are done, by their labels and in their order. */
  readonly done: Map<string, string[]>
}

const keep = ({ faults, kept, signals }: Findings, { flow, seq, id }: EventOf<'SignalReceived'>): void => {
  if (id !== undefined && signals.has(id)) faults.push(`signal ${id} is recorded twice`)
  if (id !== undefined) signals.set(id, flow)
  kept.set(flow, [...(kept.get(flow) ?? []), seq])
}

const take = ({ faults, kept }: Findings, { flow, seq }: EventOf<'SignalTaken'>): void => {
  const [first, ...rest] = kept.get(flow) ?? []
  // The flows of the campaign take signals of one name only.
  if (first !== seq) faults.push(`flow ${flow} has taken signal ${seq} where ${first ?? 'none'} was next`)
  kept.set(flow, first === seq ? rest : (kept.get(flow) ?? []).filter((other) => other !== seq))
}

const end = (findings: Findings, { flow, outcome, result, next }: EventOf<'FlowEnded'>): void => {
  const { kept, started } = findings
  const name = started.get(flow)?.name ?? ''
  if (outcome !== 'continued' || next === undefined) {
    findings.ended.push({ flow, name, result })
    return
  }
  kept.set(next, kept.get(flow) ?? [])
  kept.delete(flow)
}

const checkCount = ({ faults }: Findings, { flow, result }: Ended): void => {
  const { heard } = HeardC.is(result) ? result : { heard: [] }
  if (heard.length === 0 || heard.some((n, index) => n !== index + 1))
    faults.push(`count ${flow} has heard [${heard.join()}], not each number once and in order`)
}

const checkMeeting = ({ faults, consumedBy }: Findings, { flow, result }: Ended): void => {
  if (!MetC.is(result)) {
    faults.push(`meeting ${flow} has ended with ${JSON.stringify(result)}`)
    return
  }
  const { offered, seen, taken } = result
  if (seen !== offered) faults.push(`meeting ${flow} was offered ${offered} and has seen ${seen}`)
  if (taken !== result.consumedBy || taken !== consumedBy.get(offered))
    faults.push(`meeting ${flow} was told that ${result.consumedBy} has consumed what ${taken} has taken`)
}

/** What was undone was begun before, the last first; an approved travel has all its bookings and has undone none. */
const checkTravel = ({ faults, done }: Findings, { flow, result }: Ended, effects: readonly Effect[]): void => {
  if (!UndoneC.is(result)) {
    faults.push(`travel ${flow} has ended with ${JSON.stringify(result)}`)
    return
  }
  const steps = (done.get(flow) ?? []).filter((name) => /^(book|cancel) /.test(name))
  const booked = steps.filter((name) => name.startsWith('book ')).map((name) => name.slice(5))
  const undone = steps.filter((name) => name.startsWith('cancel ')).map((name) => name.slice(7))
  const begun = effects
    .filter((each) => each.flow === flow && each.name.startsWith('book '))
    .map(({ name }) => name.slice(5))
  if (!result.undone) {
    if (booked.join() !== bookings.join() || undone.length > 0)
      faults.push(`travel ${flow} is approved, and its steps are ${steps.join(', ')}`)
    return
  }
  for (const what of new Set([...booked, ...begun]))
    if (!undone.includes(what)) faults.push(`travel ${flow} has begun to book a ${what} and not undone it`)
  if (
    undone.join() !==
    [...bookings]
      .reverse()
      .slice(bookings.length - undone.length)
      .join()
  )
    faults.push(`travel ${flow} has undone ${undone.join(', ')}, which is not the last one first`)
}

const checkOverseer = ({ faults, ended, started }: Findings, { flow, result }: Ended): void => {
  const children = ended.filter(({ flow: child }) => {
    const origin = started.get(child)?.origin
    return origin?.kind === 'flow' && origin.flow === flow
  })
  const [child] = children
  if (child === undefined || children.length > 1) {
    faults.push(`overseer ${flow} has ${children.length} children`)
    return
  }
  const { undone, approved } = result as { readonly undone: boolean; readonly approved: boolean }
  const ofChild = UndoneC.is(child.result) ? child.result.undone : undefined
  if (ofChild !== undone || approved === undone)
    faults.push(`overseer ${flow} says that its travel is ${undone ? '' : 'not '}undone, the travel ${String(ofChild)}`)
}

/** The name of a step, from the label of its operation. */
const stepName = (label = ''): string => /^step "(.*)"$/.exec(label)?.[1] ?? label

export const checkWaiting = ({ events, effects }: Evidence): readonly string[] => {
  const findings: Findings = {
    ...{ faults: [], started: new Map(), ended: [], kept: new Map() },
    ...{ signals: new Map(), consumedBy: new Map(), done: new Map() },
  }
  const { started, consumedBy, done, faults } = findings
  for (const { event } of events) {
    switch (event.type) {
      case 'FlowStarted':
        started.set(event.flow, event)
        break
      case 'SignalReceived':
        keep(findings, event)
        break
      case 'SignalTaken':
        take(findings, event)
        break
      case 'FlowAdvanced':
        for (const { kind, label } of event.operations)
          if (kind === 'step') done.set(event.flow, [...(done.get(event.flow) ?? []), stepName(label)])
        break
      case 'FlowEnded':
        end(findings, event)
        break
      case 'TransactionRecorded':
        if ('inputs' in event.body)
          for (const { transaction } of event.body.inputs) consumedBy.set(transaction, event.id)
        break
      default:
        break
    }
  }
  for (const each of findings.ended) {
    if (each.name === Count.name) checkCount(findings, each)
    if (each.name === Meet.name) checkMeeting(findings, each)
    if (travels.includes(each.name)) checkTravel(findings, each, effects)
    if (each.name === Oversee.name) checkOverseer(findings, each)
  }
  return faults
}
