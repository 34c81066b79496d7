/**
 * The app all benchmarks run: a state that knows when it is due, and a flow that loads it, consumes it and produces
 * its successor. It is the smallest honest scheduled transaction; a real contract and real data cost more.
 */
import { some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import {
  defineApp,
  defineCommand,
  defineFlow,
  defineState,
  InstantC,
  IntegerC,
  PartyC,
  plus,
  StateRefC,
  type FlowBody,
  type Node,
  type Instant,
  type TransactionBuilder,
} from 'carillon'

const Act = defineCommand({ type: 'bench/Act' })

export const Pulse = defineState({
  type: 'bench/Pulse',
  data: t.strict({ owner: PartyC, number: IntegerC, beat: IntegerC, dueAt: InstantC, everyMs: IntegerC }),
  participants: ({ owner }) => [owner],
  nextScheduledActivity: ({ dueAt }, ref) => some(Fire.at(dueAt, { pulse: ref })),
})

export const Fire = defineFlow({
  name: 'bench/Fire',
  schedulable: true,
  input: t.strict({ pulse: StateRefC }),
  *run(io, { pulse }): FlowBody<number> {
    const current = yield* io.load(Pulse, pulse)
    const { data } = current
    yield* io.finalise((tx) =>
      tx
        .consume(current)
        .produce(Pulse, { ...data, beat: data.beat + 1, dueAt: plus(data.dueAt, { milliseconds: data.everyMs }) })
        .command(Act, [data.owner]),
    )
    return data.beat
  },
})

/** Produces `count` pulses, due one after the other, in transactions of so many states. */
export const Produce = defineFlow({
  name: 'bench/Produce',
  input: t.strict({
    first: IntegerC,
    count: IntegerC,
    statesPerTransaction: IntegerC,
    dueAt: InstantC,
    apartMs: IntegerC,
    everyMs: IntegerC,
  }),
  *run(io, { first, count, statesPerTransaction, dueAt, apartMs, everyMs }): FlowBody<number> {
    const add = (tx: TransactionBuilder, from: number): TransactionBuilder => {
      for (let number = from; number < Math.min(from + statesPerTransaction, first + count); number++)
        tx.produce(Pulse, {
          owner: io.me,
          number,
          beat: 0,
          dueAt: plus(dueAt, { milliseconds: number * apartMs }),
          everyMs,
        })
      return tx.command(Act, [io.me])
    }
    for (let from = first; from < first + count; from += statesPerTransaction) yield* io.finalise((tx) => add(tx, from))
    return count
  },
})

export const pulseApp = defineApp({ name: 'bench', states: [Pulse], flows: [Fire, Produce] })

/** So far ahead that nothing of it falls due while a benchmark runs. */
export const farMs = 1_000 * 86_400_000

export type Pulses = {
  readonly count: number
  readonly dueAt: Instant
  /** Milliseconds from one pulse's due instant to the next one's. Default 0: all at once. */
  readonly apartMs?: number
  /** From one beat of a pulse to its next. Default: far ahead. */
  readonly everyMs?: number
  /** Told the share that is laid out, from 0 to 1. */
  readonly onProgress?: (share: number) => void
}

const perFlow = 10_000
/** Flows that lay out at the same time, so that the node is not idle while a caller hears of an end. */
const atATime = 4

/** Lays out pulses as fast as the node takes them. */
export const layOut = async (node: Node, pulses: Pulses): Promise<void> => {
  const { count, dueAt, apartMs = 0, everyMs = farMs, onProgress } = pulses
  let next = 0
  let laidOut = 0
  const lay = async (): Promise<void> => {
    while (next < count) {
      const first = next
      const part = Math.min(perFlow, count - first)
      next += part
      await node.run(Produce, { first, count: part, statesPerTransaction: 100, dueAt, apartMs, everyMs })
      laidOut += part
      onProgress?.(laidOut / count)
    }
  }
  await Promise.all(Array.from({ length: atATime }, lay))
}
