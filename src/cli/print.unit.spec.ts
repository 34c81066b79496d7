import { expect } from 'chai'
import fc from 'fast-check'
import { jsonText } from './print.js'

const acts = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

describe('JSON that is printed', () => {
  it('holds nothing that acts on a terminal, and means the same', () => {
    const text = '\u001b[2J \u009b31m \u007f \u202e \u2066 \u200f \u061c \u2028 \r\n ok ü 😀'
    const printed = jsonText({ [text]: [text] })
    expect(printed).not.to.match(acts)
    expect(printed)
      .to.contain(String.raw`\u009b31m`)
      .and.to.contain('ü 😀')
    expect(JSON.parse(printed)).to.deep.equal({ [text]: [text] })
  })

  it('is the same value for a program, whatever is in it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const document = { value, text }
        for (const indent of [undefined, 2]) {
          const printed = jsonText(document, indent)
          for (const line of printed.split('\n')) expect(line).not.to.match(acts)
          expect(JSON.parse(printed)).to.deep.equal(JSON.parse(JSON.stringify(document)))
        }
      }),
    )
  })
})
