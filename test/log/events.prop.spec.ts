import { expect } from 'chai'
import * as fc from 'fast-check'
import type * as t from 'io-ts'
import { canonicalText } from '../../src/encoding/canonical.js'
import { decodeEvent } from '../../src/log/decodeEvent.js'
import { logFormat } from '../../src/log/logFormat.js'
import { keyPairFromSeed } from '../../src/identity/KeyPair.js'
import { encodeEvent } from '../../src/log/encodeEvent.js'
import { eventCodecs, type DomainEvent } from '../../src/log/events.js'
import { sha256 } from '../../src/encoding/hash.js'
import {
  emptyHead,
  hashAfterTick,
  headAfter,
  headerLine,
  tickAfter,
  type EncodedTick,
  type HashLink,
} from '../../src/log/Tick.js'
import type { Instant } from '../../src/time/Instant.js'
import { signed, startLine } from './signing.js'
import { arbitraryOf, instants, jsonValues } from './arbitraryOf.js'

/** Events of a type that this version could have written. */
const eventsBy = (codec: t.Any): fc.Arbitrary<unknown> =>
  arbitraryOf(codec).map((event) =>
    (event as DomainEvent).type === 'NodeStarted' ? { ...(event as object), format: logFormat } : event,
  )

describe('events', () => {
  for (const [type, codec] of Object.entries(eventCodecs)) {
    it(`a ${type} comes back from the log as the same bytes`, () => {
      fc.assert(
        fc.property(eventsBy(codec), fc.nat(), (event, revision) => {
          const line = encodeEvent(event as DomainEvent)
          expect(line).to.equal(canonicalText(event))
          expect(line).to.not.include('\n')
          const decoded = decodeEvent(line, revision)
          expect(decoded.type).to.equal(type)
          expect(canonicalText(decoded)).to.equal(line)
        }),
        { numRuns: 60 },
      )
    })

    it(`a ${type} without one of its members is refused`, () => {
      fc.assert(
        fc.property(eventsBy(codec), fc.nat(), (event, choice) => {
          const required = Object.keys(event as object).filter(
            (key) => !codec.is(Object.fromEntries(Object.entries(event as object).filter(([name]) => name !== key))),
          )
          const dropped = required[choice % required.length]!
          const rest = Object.fromEntries(Object.entries(event as object).filter(([name]) => name !== dropped))
          expect(() => decodeEvent(canonicalText(rest), 7)).to.throw(/^Event 7 of the log/)
        }),
        { numRuns: 20 },
      )
    })
  }

  it('of an unknown type say that a newer version wrote them', () => {
    expect(() => decodeEvent('{"type":"NodeHibernated"}', 12))
      .to.throw('Event 12 of the log is a NodeHibernated')
      .with.property('code', 'log-too-new')
  })

  const startWith = (change: object): string =>
    canonicalText({ ...(JSON.parse(startLine(keyPairFromSeed(sha256('a node')))) as object), ...change })

  it('with a member that this version does not know say so, wherever it stands', () => {
    expect(() => decodeEvent('{"because":"x","type":"NodeStopped"}', 12))
      .to.throw('Event 12 of the log is a NodeStopped with fields that this version does not know')
      .with.property('code', 'log-too-new')
    const { party } = JSON.parse(startWith({})) as { readonly party: object }
    expect(() => decodeEvent(startWith({ party: { ...party, mood: 'good' } }), 0))
      .to.throw()
      .with.property('code', 'log-too-new')
  })

  it('not in canonical form are refused', () => {
    expect(() => decodeEvent('{"type": "NodeStopped"}', 3))
      .to.throw('canonical form')
      .with.property('code', 'log-undecodable')
  })

  it('after a start in a newer format, or in the one before the first release, are not read', () => {
    expect(decodeEvent(startWith({}), 0)).to.include({ type: 'NodeStarted', format: logFormat })
    expect(() => decodeEvent(startWith({ format: logFormat + 1, carillon: '7.0.0', mood: 'good' }), 4))
      .to.throw(`From event 4 on the log is in format ${logFormat + 1}, written by Carillon 7.0.0`)
      .with.property('code', 'log-too-new')
    expect(() => decodeEvent(canonicalText({ type: 'NodeStarted', app: 'x' }), 0))
      .to.throw('Event 0 of the log is of the format before the first release')
      .with.property('code', 'log-too-old')
  })

  for (const line of [
    '',
    'null',
    '1',
    '[]',
    '"text"',
    '{"type":',
    '{}',
    '{"type":"constructor"}',
    '{"type":"__proto__"}',
  ])
    it(`a line that is ${line === '' ? 'empty' : line} is refused with a typed error`, () => {
      expect(() => decodeEvent(line, 3))
        .to.throw()
        .with.property('code')
        .that.is.oneOf(['log-undecodable', 'log-too-new'])
    })
})

describe('the hash chain', () => {
  const chains = fc.array(
    fc.record({ at: instants, events: fc.array(jsonValues.map(canonicalText), { minLength: 1, maxLength: 4 }) }),
    { minLength: 1, maxLength: 6 },
  )

  const chainOf = (parts: readonly { readonly at: string; readonly events: readonly string[] }[]): EncodedTick[] => {
    let head = emptyHead
    return parts.map(({ at, events }) => {
      const tick = tickAfter(head, at as Instant, events, signed)
      head = headAfter(tick)
      return tick
    })
  }

  /** The running hash as the format says it: over the link before, the header and the lines. */
  const hashOf = (before: HashLink, tick: EncodedTick): string =>
    sha256([before.hash, before.signature, headerLine(tick), ...tick.events].join('\n'))

  it('follows from the lines and the signatures before them alone, and counts every event', () => {
    fc.assert(
      fc.property(chains, (parts) => {
        const ticks = chainOf(parts)
        let before: HashLink = emptyHead
        for (const tick of ticks) {
          expect(tick.hash).to.equal(hashOf(before, tick))
          expect(tick.signature).to.equal(signed(tick.hash))
          before = tick
        }
        const total = parts.reduce((sum, { events }) => sum + events.length, 0)
        const { hash, signature } = before
        expect(headAfter(ticks.at(-1)!)).to.deep.equal({ tick: parts.length, revision: total - 1, hash, signature })
      }),
    )
  })

  it('is the same over ticks that are too long to be put together first', () => {
    for (const length of [16_000, 16_384, 500_000]) {
      const events = [canonicalText('é'.repeat(length / 2)), canonicalText('x'.repeat(length / 2)), canonicalText('😀')]
      const tick = tickAfter(emptyHead, '2026-01-31T09:00:00.000Z' as Instant, events, signed)
      expect(tick.hash).to.equal(hashOf(emptyHead, tick))
    }
  })

  it('is the same when a tick is hashed without being put together', () => {
    fc.assert(
      fc.property(chains, (parts) => {
        let before: HashLink = emptyHead
        for (const tick of chainOf(parts)) {
          expect(hashAfterTick(before, tick)).to.equal(tick.hash)
          before = tick
        }
      }),
    )
  })

  it('covers the signature of the tick before: nobody can sign an earlier tick anew', () => {
    fc.assert(
      fc.property(chains, fc.nat(), (parts, choice) => {
        const ticks = chainOf(parts)
        fc.pre(ticks.length > 1)
        const [before, next] = ticks.slice(choice % (ticks.length - 1))
        expect(hashAfterTick({ ...before!, signature: signed(next!.hash) }, next!)).to.not.equal(next!.hash)
        expect(hashAfterTick({ ...before!, signature: '' }, next!)).to.not.equal(next!.hash)
      }),
    )
  })

  it('ends elsewhere when any event, instant, order or tick boundary is another', () => {
    fc.assert(
      fc.property(chains, chains, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other)
        expect(chainOf(one).at(-1)!.hash === chainOf(other).at(-1)!.hash).to.equal(same)
      }),
    )
    fc.assert(
      fc.property(chains, fc.nat(), fc.nat(), (parts, tick, event) => {
        const place = tick % parts.length
        const altered = parts.map((part, index) =>
          index === place
            ? {
                ...part,
                events: part.events.map((line, at) => (at === event % part.events.length ? `[${line}]` : line)),
              }
            : part,
        )
        expect(chainOf(altered).at(-1)!.hash).to.not.equal(chainOf(parts).at(-1)!.hash)
        const split = parts.flatMap((part, index) =>
          index === place && part.events.length > 1
            ? [
                { ...part, events: part.events.slice(0, 1) },
                { ...part, events: part.events.slice(1) },
              ]
            : [part],
        )
        if (split.length !== parts.length) expect(chainOf(split).at(-1)!.hash).to.not.equal(chainOf(parts).at(-1)!.hash)
      }),
    )
  })
})
