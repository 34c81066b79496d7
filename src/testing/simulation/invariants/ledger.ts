/**
 * What must be true of the ledger that several logs together describe.
 */
import { Encoded } from '../../../encoding/canonical.js'
import { primitiveKeys } from '../../../identity/Key.js'
import { showRef } from '../../../ledger/StateRef.js'
import type { TimeWindow } from '../../../ledger/TimeWindow.js'
import type { TransactionBody } from '../../../ledger/Transaction.js'
import type { EventOf } from '../../../log/events.js'
import { toMillis, type Instant } from '../../../time/Instant.js'
import type { Invariant, World } from '../World.js'

/** Worked out here once more: a judge does not ask the judged. */
const isWithin = ({ from, until }: TimeWindow, at: Instant): boolean =>
  (from === undefined || toMillis(at) >= toMillis(from)) && (until === undefined || toMillis(at) < toMillis(until))

const bodyOf = ({ body }: EventOf<'TransactionRecorded'>): TransactionBody =>
  body instanceof Encoded ? (JSON.parse(body.text) as TransactionBody) : body

/** Every recorded transaction of every party. */
function* recordedIn(world: World) {
  for (const { name, log } of world.parties)
    for (const { event, at } of log)
      if (event.type === 'TransactionRecorded') yield { name, at, event, body: bodyOf(event) }
}

/** Every state is consumed by at most one transaction, whoever you ask. */
export const noDoubleSpend: Invariant = {
  name: 'no state is consumed twice',
  violations: (world) => {
    const consumers = new Map<string, Map<string, string>>()
    const consumed = (ref: string, by: string, where: string): void => {
      consumers.set(ref, (consumers.get(ref) ?? new Map<string, string>()).set(by, where))
    }
    for (const { name, event, body } of recordedIn(world))
      for (const ref of body.inputs) consumed(showRef(ref), event.id, `in the log of ${name}`)
    for (const { name, log } of world.parties)
      for (const { event } of log)
        // A notary cannot tell whether a hostile member had any right to what it let it consume; only what is recorded counts.
        if (event.type === 'TransactionNotarised' && !world.hostile.has(event.caller))
          for (const ref of event.inputs) consumed(showRef(ref), event.id, `as notarised by ${name}`)
    return [...consumers]
      .filter(([, by]) => by.size > 1)
      .map(
        ([ref, by]) =>
          `state ${ref} is consumed by ${[...by].map(([id, where]) => `transaction ${id} ${where}`).join(' and by ')}`,
      )
  },
}

/** Who takes part in a transaction holds it, once, and all hold the same. */
export const agreement: Invariant = {
  name: 'all who take part in a transaction hold it, and the same',
  violations: (world) => {
    if (!world.isSettled) return []
    const found: string[] = []
    const members = new Map(world.parties.map(({ name, party }) => [party.key, name]))
    const holders = new Map<string, Map<string, string>>()
    const takesPart = new Map<string, Set<string>>()
    const signers = new Map<string, readonly string[]>()
    const participants = new Map<string, readonly string[]>()
    for (const { event } of recordedIn(world))
      event.assessments.forEach((assessment, index) => {
        participants.set(`${event.id}:${index}`, assessment.participants)
      })
    for (const { name, event, body } of recordedIn(world)) {
      const held = holders.get(event.id) ?? new Map<string, string>()
      holders.set(event.id, held)
      if (held.has(name)) found.push(`${name} has recorded transaction ${event.id} twice`)
      held.set(name, JSON.stringify(body))
      const concerned = [
        ...event.assessments.flatMap((assessment) => assessment.participants),
        ...body.inputs.flatMap((ref) => participants.get(showRef(ref)) ?? []),
      ]
      takesPart.set(event.id, new Set(concerned))
      signers.set(event.id, body.signers.flat().flatMap(primitiveKeys))
    }
    for (const [id, held] of holders) {
      if (new Set(held.values()).size > 1)
        found.push(`transaction ${id} is not the same for ${[...held.keys()].join(' and ')}`)
      // Who is hostile may keep from some what it has told others.
      const isShared = [...(takesPart.get(id) ?? []), ...(signers.get(id) ?? [])].some((key) => world.hostile.has(key))
      for (const key of isShared ? [] : (takesPart.get(id) ?? [])) {
        const name = [...members].find(([member]) => member === key)?.[1]
        if (name !== undefined && !held.has(name))
          found.push(
            `${name} takes part in transaction ${id} of ${[...held.keys()].join(' and ')}, but does not hold it`,
          )
      }
    }
    return found
  },
}

/** What may only happen at a certain time was let through at that time, by the notary's own clock. */
export const timeWindowsKept: Invariant = {
  name: 'what has a time window was notarised within it',
  violations: (world) => {
    const bodies = new Map<string, TransactionBody>()
    const found: string[] = []
    for (const { name, at, event, body } of recordedIn(world)) {
      bodies.set(event.id, body)
      // A transaction without gathered signatures was notarised by the party itself, in that very tick.
      if (event.signatures === undefined && body.timeWindow !== undefined && !isWithin(body.timeWindow, at))
        found.push(
          `${name} recorded transaction ${event.id} at ${at}, outside of its time window from ${body.timeWindow.from ?? 'ever'} until ${body.timeWindow.until ?? 'ever'}`,
        )
    }
    for (const { name, log } of world.parties)
      for (const { at, event } of log) {
        const window = event.type === 'TransactionNotarised' ? bodies.get(event.id)?.timeWindow : undefined
        if (window !== undefined && !isWithin(window, at))
          found.push(
            `${name} notarised a transaction at ${at}, outside of its time window until ${window.until ?? 'ever'}`,
          )
      }
    return found
  },
}

/** Whoever has a notary's word for a transaction records it: otherwise what it consumes would be gone for nothing. */
export const notarisedIsRecorded: Invariant = {
  name: 'what a notary has let through is recorded',
  violations: (world) => {
    if (!world.isSettled) return []
    const recorded = new Set([...recordedIn(world)].map(({ event }) => event.id))
    return world.parties.flatMap(({ name, party, log }) => {
      // A hostile member may keep what it was granted to itself, also where the notary signs as one of the parties.
      const isTheirs = (caller: string): boolean =>
        world.hostile.has(caller) || (world.hostile.size > 0 && caller === party.key)
      return log.flatMap(({ event }) =>
        event.type === 'TransactionNotarised' && !recorded.has(event.id) && !isTheirs(event.caller)
          ? [`${name} has notarised transaction ${event.id}, which nobody has recorded`]
          : [],
      )
    })
  },
}
