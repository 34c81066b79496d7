import { expect } from 'chai'
import * as t from 'io-ts'
import { InstantC, IntegerC, PartyC, StateRefC } from '../index.js'
import { inputSketch } from './inputSketch.js'

describe('The sketch of an input', () => {
  it('has every member that must be there, with a hint of what it is', () => {
    const input = t.intersection([
      t.strict({
        text: t.string,
        rings: IntegerC,
        loud: t.boolean,
        at: InstantC,
        to: PartyC,
        kind: t.keyof({ once: null, daily: null }),
        parts: t.readonlyArray(t.string),
        of: t.union([StateRefC, t.null]),
      }),
      t.exact(t.partial({ note: t.string })),
    ])
    expect(JSON.parse(inputSketch(input))).to.deep.equal({
      text: '…',
      rings: 0,
      loud: true,
      at: '2026-01-31T09:00:00.000Z',
      to: { key: '…', name: '…' },
      kind: 'once',
      parts: [],
      of: { index: 0, transaction: '…' },
    })
  })

  it('is what stands by itself for inputs that are no objects', () => {
    expect([t.string, t.literal('yes'), t.unknown, t.UnknownRecord].map(inputSketch)).to.deep.equal([
      '"…"',
      '"yes"',
      'null',
      '{}',
    ])
  })
})
