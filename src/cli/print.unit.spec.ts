import { expect } from 'chai'
import fc from 'fast-check'
import { jsonLogger } from '../telemetry/jsonLogger.js'
import { jsonText, printableLines } from './print.js'

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

  it('is so in the log of a node, too, where it tells what another party has said', () => {
    const lines: string[] = []
    const said = 'Mallory refused a message: \u009b2J\u202e\u2066 no \n'
    const logger = jsonLogger({ to: printableLines({ write: (line) => lines.push(line) }) })
    logger.warn(said, { from: said })
    expect(lines).to.have.length(1)
    expect(lines[0]?.slice(0, -1)).not.to.match(acts)
    expect(JSON.parse(lines[0] ?? '')).to.include({ message: said, from: said })
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
