import { expect } from 'chai'
import * as fc from 'fast-check'
import { canonicalText } from './canonical.js'
import { isCanonical, readCanonical } from './CanonicalReader.js'

/** What the encoder would say, by way of a value. */
const isCanonicalByValue = (text: string): boolean => {
  try {
    return canonicalText(JSON.parse(text)) === text
  } catch {
    return false
  }
}

const values = fc.jsonValue({ depthSize: 'small', stringUnit: 'grapheme' })

describe('CanonicalReader', () => {
  it('accepts what the encoder writes', () => {
    fc.assert(
      fc.property(values, (value) => {
        fc.pre(!JSON.stringify(value).includes('-0'))
        let text: string
        try {
          text = canonicalText(value)
        } catch {
          return
        }
        expect(isCanonical(text), text).to.equal(true)
      }),
      { numRuns: 500 },
    )
  })

  it('judges any altered text as the encoder would', () => {
    const characters = fc.constantFrom(...'{}[]",:\\ \n0123456789.eE+-tfnu\u0001\ud800aé'.split(''), '', '\\u0041')
    fc.assert(
      fc.property(values, fc.nat(), fc.nat({ max: 2 }), characters, (value, place, drop, character) => {
        let text: string
        try {
          text = canonicalText(value)
        } catch {
          return
        }
        const at = place % (text.length + 1)
        const altered = text.slice(0, at) + character + text.slice(at + drop)
        expect(isCanonical(altered), altered).to.equal(isCanonicalByValue(altered))
      }),
      { numRuns: 2_000 },
    )
  })

  it('refuses other spellings of the same value', () => {
    for (const text of [
      '{"b":1,"a":1}',
      '{"a":1,"a":1}',
      '{"a":1,"a":2}',
      '{"ab":1,"a":1}',
      '{"a\\n":1,"a":1}',
      '{ "a":1}',
      '[1, 2]',
      '"\\u0041"',
      '"\\/"',
      '"\\ud800"',
      '1.0',
      '01',
      '-0',
      '1e3',
      '1E21',
      '9007199254740993',
      '1e400',
      'nul',
      '',
      '1 ',
      '[1,]',
      '{"a":1,}',
      '"open',
      '"\\',
      '['.repeat(100_000),
    ])
      expect(isCanonical(text), text.slice(0, 40)).to.equal(false)
    for (const text of ['{"a":1,"ab":1}', '"\\u0001"', '"é"', '1e-7', '-5', '9007199254740991', '1.5', '{}', '[]'])
      expect(isCanonical(text), text).to.equal(true)
  })

  it('gives members and elements as they stand', () => {
    const found = readCanonical('{"a":[{"x":1},2],"b":"q\\"","c":null}', (reader) => {
      const members: Record<string, unknown> = {}
      reader.object((key) => {
        if (key === 'a') {
          const elements: string[] = []
          reader.list(() => elements.push(reader.value()))
          members[key] = elements
        } else members[key] = key === 'b' ? reader.string() : reader.value()
      })
      return members
    })
    expect(found).to.deep.equal({ a: ['{"x":1}', '2'], b: 'q"', c: 'null' })
    expect(readCanonical('[1,2,3]', (reader) => reader.count())).to.equal(3)
  })
})
