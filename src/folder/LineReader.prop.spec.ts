import { expect } from 'chai'
import fc from 'fast-check'
import { CarillonError } from '../errors/CarillonError.js'
import { LineReader } from './LineReader.js'

const tooLong = () => new CarillonError('request-invalid', 'too long')

describe('LineReader', () => {
  it('gives the same lines however the bytes are cut, within characters too', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '))),
        fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')),
        fc.integer({ min: 1, max: 7 }),
        (lines, rest, size) => {
          const reader = new LineReader(10_000, tooLong)
          const bytes = Buffer.from([...lines.map((line) => `${line}\n`), rest].join(''))
          const read: string[] = []
          for (let at = 0; at < bytes.length; at += size) read.push(...reader.feed(bytes.subarray(at, at + size)))
          expect(read).to.deep.equal(lines)
          expect(reader.end()).to.equal(rest)
        },
      ),
    )
  })

  it('takes a line of exactly the limit and refuses one byte more, whether or not the line ends', () => {
    expect([...new LineReader(4, tooLong).feed(Buffer.from('abcd\nefgh'))]).to.deep.equal(['abcd'])
    expect(() => [...new LineReader(4, tooLong).feed(Buffer.from('abcde'))]).to.throw('too long')
    const reader = new LineReader(4, tooLong)
    expect([...reader.feed(Buffer.from('abc'))]).to.deep.equal([])
    expect(() => [...reader.feed(Buffer.from('de\n'))]).to.throw('too long')
  })

  it('gives the lines before one that it refuses', () => {
    const read: string[] = []
    const take = (reader: LineReader, bytes: Buffer) => {
      for (const line of reader.feed(bytes)) read.push(line)
    }
    expect(() => take(new LineReader(4, tooLong), Buffer.from('ab\ncd\nefghi\n'))).to.throw('too long')
    const notText = () => new CarillonError('request-invalid', 'not text')
    const bytes = Buffer.from([101, 10, 255, 10])
    expect(() => take(new LineReader(4, tooLong, notText), bytes)).to.throw('not text')
    expect(read).to.deep.equal(['ab', 'cd', 'e'])
  })
})
