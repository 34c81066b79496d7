/** What decoding events by their shapes promises: the same event, or the same complaint, as decoding each by itself. */
import { expect } from 'chai'
import * as fc from 'fast-check'
import { canonicalText, Encoded } from '../../src/encoding/canonical.js'
import { decodeEvent } from '../../src/log/decodeEvent.js'
import { EventDecoder } from '../../src/log/EventDecoder.js'
import { eventShapeOf, type EventShape } from '../../src/log/EventShape.js'
import type { FoldableEvent, FoldableTransaction } from '../../src/log/FoldableEvent.js'
import { eventPlaces } from '../../src/log/eventPlaces.js'
import { AssessmentC } from '../../src/ledger/Assessment.js'
import { eventCodecs, type DomainEvent, type EventType, type TransactionRecorded } from '../../src/log/events.js'
import { partsOf } from '../../src/vault/TransactionParts.js'
import { arbitraryOf, hashes, instants } from './arbitraryOf.js'

const shapedTypes = Object.keys(eventPlaces) as EventType[]
const codecs: Readonly<Record<string, (typeof eventCodecs)[EventType]>> = eventCodecs
const eventsOf = (types: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(...types.map((type) => arbitraryOf(codecs[type]!)))

const hash = /^[0-9a-f]{64}$/
const instant = /^\d{4}-\d\d-\d\dT/

/** The same event with other ids, instants, texts and whole numbers, some of which its codec does not take. */
const refilled = (
  value: unknown,
  fill: { readonly id: string; readonly at: string; readonly count: number },
): unknown => {
  if (typeof value === 'string') {
    if (hash.test(value)) return fill.id
    if (instant.test(value)) return fill.at
    return /^[\w ]*$/.test(value) && value.length > 0 ? `${value}x` : value
  }
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value < 1e14 ? fill.count : value
  if (Array.isArray(value)) return value.map((member) => refilled(member, fill))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === 'type' ? member : refilled(member, fill)]),
  )
}

const fills = fc.record({
  id: fc.oneof({ weight: 4, arbitrary: hashes }, { weight: 1, arbitrary: fc.constantFrom('', 'G'.repeat(64), '\\"') }),
  at: fc.oneof(
    { weight: 4, arbitrary: instants },
    { weight: 1, arbitrary: fc.constantFrom('2026-02-30T00:00:00.000Z', '2026-01-01T24:00:00.000Z', 'soon') },
  ),
  count: fc.oneof({ weight: 4, arbitrary: fc.nat() }, { weight: 1, arbitrary: fc.constantFrom(-1, 1.5, 1e15, 0) }),
})

const characters = fc.constantFrom(...'{}[]",:\\ \n0123456789.eE+-tfnuZT\u0001\ud800aé'.split(''), '', '\\u0041')
const alter = (text: string, place: number, drop: number, character: string): string => {
  const at = place % (text.length + 1)
  return text.slice(0, at) + character + text.slice(at + drop)
}

/** The same value with texts and numbers that need no escape, no sign and few digits, as nearly all in a log are. */
const plain = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replaceAll(/[^\w .:-]/gu, 'x')
  if (typeof value === 'number') return Math.floor(Math.abs(value)) % 1e6
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [plain(key), plain(member)]))
}

/** Transactions that have a shape and parts: without signatures of their own, and with each output assessed. */
const plainTransactions = fc
  .tuple(
    arbitraryOf(eventCodecs.TransactionRecorded) as fc.Arbitrary<TransactionRecorded>,
    fc.array(arbitraryOf(AssessmentC), { minLength: 3, maxLength: 3 }),
  )
  .map(([{ signatures: _, ...made }, assessments]) => plain({ ...made, assessments }))

/** What comes of a line: the event as canonical text, which shows every difference, or what is said instead. */
const outcomeOf = (decode: () => FoldableEvent): string => {
  try {
    return canonicalText(decode())
  } catch (error) {
    return String(error)
  }
}

describe('EventDecoder', () => {
  it('gives of every line, in whatever company, what decoding it alone gives', () => {
    const changes = fc.tuple(fc.nat(), fc.nat({ max: 2 }), characters)
    const made = fc.tuple(fc.oneof(eventsOf(shapedTypes), eventsOf(Object.keys(eventCodecs))), fills, changes)
    fc.assert(
      fc.property(fc.array(made, { minLength: 1, maxLength: 30 }), (events) => {
        const decoder = new EventDecoder()
        for (const [event, fill, change] of events) {
          const line = canonicalText(event)
          for (const each of [line, line, canonicalText(refilled(event, fill)), alter(line, ...change)])
            expect(
              outcomeOf(() => decoder.decode(each, 7)),
              each,
            ).to.equal(outcomeOf(() => decodeEvent(each, 7)))
        }
      }),
      { numRuns: 150 },
    )
  })

  it('goes on doing so when no two events are of a shape, and when they are again', () => {
    const decoder = new EventDecoder()
    const line = (result: string): string => `{"flow":"f","outcome":"completed","result":${result},"type":"FlowEnded"}`
    for (let index = 0; index < 10_000; index++) {
      const text = line(index < 5_000 ? `{"k${index}":${index}}` : String(index))
      expect(canonicalText(decoder.decode(text, index))).to.equal(text)
    }
  })
})

describe('what EventDecoder recognises', () => {
  const id = (index: number): string => index.toString(16).padStart(64, '0')
  const transaction = (index: number): string =>
    `{"assessments":[{"activity":{"at":"2026-01-01T00:00:00.000Z","flow":{"input":${index},"name":"n"}},"participants":[],"relevant":true}],"body":{"commands":[],"inputs":[{"index":0,"transaction":"${id(index)}"}],"notary":{"key":"ed25519:${'b'.repeat(64)}","name":"N"},"outputs":[{"contract":{"name":"c","version":1},"data":{"n":${index}},"type":"t","version":1}],"references":[],"salt":"s${index}","signers":[]},"flow":"f${index}","id":"${id(index)}","type":"TransactionRecorded"}`
  const started = (index: number): string =>
    `{"flow":"f${index}","input":{"n":${index}},"name":"n","origin":{"attempt":1,"cause":"due","due":"2026-01-01T00:00:00.000Z","kind":"activity","latenessMs":${index},"ref":{"index":0,"transaction":"${id(index)}"}},"type":"FlowStarted","version":1}`
  const ended = (index: number): string =>
    `{"flow":"f${index}","outcome":"completed","result":{"n":${index}},"type":"FlowEnded"}`

  /** Only of an event that was made by a shape are opaque values the text they were: it was not parsed. */
  const isByShape = (event: FoldableEvent): boolean => {
    switch (event.type) {
      case 'FlowStarted':
        return event.input instanceof Encoded
      case 'FlowEnded':
        return event.result instanceof Encoded
      case 'TransactionRecorded':
        return 'outputs' in event.body && event.body.outputs[0]?.data instanceof Encoded
      default:
        return false
    }
  }
  const recognised = (lines: readonly string[]): number => {
    const decoder = new EventDecoder()
    return lines.filter((line, index) => isByShape(decoder.decode(line, index))).length
  }

  it('is every line of a log like any other but the first of each shape', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => [started(index), transaction(index), ended(index)]).flat()
    expect(recognised(lines)).to.equal(lines.length - 3)
  })

  it('is nothing where no two lines are of a shape', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) =>
      started(index).replace('"name":"n"', `"name":"n${index}"`),
    )
    expect(recognised(lines)).to.equal(0)
  })
})

describe('the shape of an event', () => {
  it('gives back the event it was taken from, opaque values as the text they are', () => {
    fc.assert(
      fc.property(eventsOf(shapedTypes), (made) => {
        const line = canonicalText(made)
        const event = decodeEvent(line, 7)
        const shape = eventShapeOf(line, event)
        if (shape === undefined) {
          expect(line).to.match(/"signatures":|[\\\ud800-\udfff]|:-|:\d{16}/)
          return
        }
        const match = shape.shape.exec(line)
        const read = match === null ? undefined : shape.read(match)
        expect(read === undefined ? undefined : canonicalText(read)).to.equal(line)
      }),
      { numRuns: 300 },
    )
  })

  it('gives a transaction whose parts are those of the decoded one', () => {
    fc.assert(
      fc.property(plainTransactions, (made) => {
        const line = canonicalText(made)
        const event = decodeEvent(line, 7)
        const shape = eventShapeOf(line, event)
        const match = shape?.shape.exec(line) ?? undefined
        const read = match === undefined ? undefined : shape?.read(match)
        expect(event.type).to.equal('TransactionRecorded')
        expect(read?.type, line).to.equal('TransactionRecorded')
        expect(partsOf(read as FoldableTransaction)).to.deep.equal(partsOf(event as TransactionRecorded))
      }),
      { numRuns: 300 },
    )
  })

  it('is that of states with other indexed values, and of none that could not be indexed', () => {
    const line = (indexed: string): string =>
      `{"assessments":[{"indexed":${indexed},"participants":[],"relevant":true}],"body":{"commands":[],"inputs":[],"notary":{"key":"ed25519:${'b'.repeat(64)}","name":"N"},"outputs":[],"references":[],"salt":"s","signers":[]},"id":"${'a'.repeat(64)}","type":"TransactionRecorded"}`
    const of = (indexed: string): EventShape | undefined => eventShapeOf(line(indexed), decodeEvent(line(indexed), 7))
    const shape = of('{"big":true,"name":"x","size":1,"weight":1.5}')
    const isOfIt = (indexed: string): boolean => shape?.shape.test(line(indexed)) === true
    expect(isOfIt('{"big":true,"name":"another","size":20,"weight":1.5}')).to.equal(true)
    expect(isOfIt(`{"big":true,"name":"${'y'.repeat(200)}","size":20,"weight":1.5}`)).to.equal(true)
    expect(isOfIt(`{"big":true,"name":"${'y'.repeat(201)}","size":20,"weight":1.5}`)).to.equal(false)
    expect(isOfIt('{"big":false,"name":"x","size":1,"weight":1.5}')).to.equal(false)
    expect(isOfIt('{"big":true,"name":"x","size":1,"weight":2.5}')).to.equal(false)
  })

  it('is not had from an event that is another than its line says, as one brought up to date is', () => {
    const line = (flow: string): string => `{"flow":"${flow}","outcome":"completed","result":1,"type":"FlowEnded"}`
    expect(eventShapeOf(line('a'), decodeEvent(line('a'), 1))).to.not.equal(undefined)
    const lifted = { ...decodeEvent(line('a'), 1), by: 'someone' } as DomainEvent
    expect(eventShapeOf(line('a'), lifted)).to.equal(undefined)
  })

  it('is not that of a day that the calendar does not have', () => {
    const line = (due: string): string =>
      `{"flow":"f","input":null,"name":"n","origin":{"attempt":1,"cause":"due","due":"${due}","kind":"activity","latenessMs":0,"ref":{"index":0,"transaction":"${'a'.repeat(64)}"}},"type":"FlowStarted","version":1}`
    const decoder = new EventDecoder()
    decoder.decode(line('2026-02-28T00:00:00.000Z'), 1)
    expect(() => decoder.decode(line('2026-02-29T00:00:00.000Z'), 2)).to.throw(/^Event 2 of the log cannot be decoded/)
    decoder.decode(line('2028-02-29T00:00:00.000Z'), 3)
  })
})
