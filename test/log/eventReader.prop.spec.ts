/** What reading events by their shapes promises: the same word as reading each by itself, also about altered ones. */
import { expect } from 'chai'
import * as fc from 'fast-check'
import { canonicalText } from '../../src/encoding/canonical.js'
import { isCanonical } from '../../src/encoding/CanonicalReader.js'
import { shapeOf } from '../../src/encoding/CanonicalShape.js'
import { eventCodecs } from '../../src/log/events.js'
import { EventReader } from '../../src/history/EventReader.js'
import { arbitraryOf, jsonValues } from './arbitraryOf.js'

const characters = fc.constantFrom(...'{}[]",:\\ \n0123456789.eE+-tfnu\u0001\ud800aé'.split(''), '', '\\u0041')

type Change = { readonly place: number; readonly drop: number; readonly character: string }

const changes: fc.Arbitrary<Change> = fc.record({ place: fc.nat(), drop: fc.nat({ max: 2 }), character: characters })

const alter = (text: string, { place, drop, character }: Change): string => {
  const at = place % (text.length + 1)
  return text.slice(0, at) + character + text.slice(at + drop)
}

/** The same value with other strings and whole numbers. */
const refilled = (value: unknown): unknown => {
  if (typeof value === 'string') return /^[\w ]*$/.test(value) ? `${value}x` : value
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value < 1e14 ? value + 1 : value
  if (Array.isArray(value)) return value.map(refilled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, refilled(member)]))
}

describe('the shape of a canonical text', () => {
  it('is its own, and that of a text that differs in strings and whole numbers', () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const text = canonicalText(value)
        const shape = shapeOf(text, [])
        expect(shape === undefined, text).to.equal(/[\\\ud800-\udfff]/.test(text))
        if (shape === undefined) return
        expect(shape.test(text), text).to.equal(true)
        expect(shape.test(canonicalText(refilled(value))), text).to.equal(true)
      }),
      { numRuns: 500 },
    )
  })

  it('is that of canonical texts alone', () => {
    fc.assert(
      fc.property(jsonValues, changes, (value, change) => {
        const text = canonicalText(value)
        const altered = alter(text, change)
        if (shapeOf(text, [])?.test(altered) === true) expect(isCanonical(altered), altered).to.equal(true)
      }),
      { numRuns: 3_000 },
    )
  })

  it('tells the pieces it was asked for, and keeps the fixed ones as they are', () => {
    const text = '{"a":[1,{"b":"x"}],"type":"T"}'
    const pieceOf = (part: string) => ({ from: text.indexOf(part), until: text.indexOf(part) + part.length })
    const shape = shapeOf(text, [pieceOf('{"b":"x"}'), { ...pieceOf('"T"'), fixed: true }])
    expect(shape?.exec('{"a":[20,{"b":"yy"}],"type":"T"}')?.slice(1)).to.deep.equal(['{"b":"yy"}', '"T"'])
    expect(shape?.exec('{"a":[20,{"b":"yy"}],"type":"U"}')).to.equal(null)
  })
})

describe('EventReader', () => {
  const events = fc.oneof(...Object.values(eventCodecs).map((codec) => arbitraryOf(codec)))

  it('says of every event, in whatever company, what it says of it alone', () => {
    const altered = fc.tuple(events, fc.option(changes, { nil: undefined }))
    fc.assert(
      fc.property(fc.array(altered, { minLength: 2, maxLength: 40 }), (made) => {
        const reader = new EventReader()
        for (const [event, change] of made) {
          const text = canonicalText(event)
          reader.read(text)
          for (const line of [text, canonicalText(refilled(event)), change === undefined ? text : alter(text, change)])
            expect(reader.read(line), line).to.deep.equal(new EventReader().read(line))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('has nothing to say of a text without a type, or of none at all', () => {
    const reader = new EventReader()
    for (const line of ['', '{}', '{"type":1}', 'null', '{"type":"A"}{"type":"A"}'])
      for (let times = 0; times < 2; times++) expect(reader.read(line), line).to.equal(undefined)
  })
})
