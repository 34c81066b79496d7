import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { decodeWith } from './decode.js'
import { expecting } from './expecting.js'

const faults = (codec: t.Any, value: unknown): readonly string[] => {
  const decoded = decodeWith(codec, value)
  return isLeft(decoded) ? decoded.left : []
}

describe('what is said of a value that does not fit', () => {
  const both = t.intersection([t.strict({ name: t.string }), t.exact(t.partial({ tags: t.readonlyArray(t.string) }))])

  it('names the place as whoever wrote the value knows it, not as the codec is put together', () => {
    expect(faults(both, {})).to.deep.equal(['name is undefined, expected string'])
    expect(faults(both, { name: 'x', tags: ['a', 7] })).to.deep.equal(['tags.1 is 7, expected string'])
    const deep = t.strict({ of: t.readonly(t.readonlyArray(t.readonly(both))) })
    expect(faults(deep, { of: [{ name: 'x' }, {}] })).to.deep.equal(['of.1.name is undefined, expected string'])
    const either = t.strict({ of: t.union([t.strict({ a: t.number }), t.strict({ b: t.number })]) })
    expect(faults(either, { of: {} })).to.deep.equal([
      'of.a is undefined, expected number',
      'of.b is undefined, expected number',
    ])
  })

  it('keeps the places of a list and of a tuple', () => {
    expect(faults(t.readonlyArray(t.number), [1, 'x'])).to.deep.equal(['1 is "x", expected number'])
    expect(faults(t.tuple([t.number, t.string]), [1, 2])).to.deep.equal(['1 is 2, expected string'])
  })

  it('says in words what is expected, where the name of a codec says too little', () => {
    const EvenC = expecting(
      'an even number',
      t.refinement(t.number, (n) => n % 2 === 0, 'Even'),
    )
    expect(faults(t.exact(t.partial({ n: EvenC })), { n: 3 })).to.deep.equal(['n is 3, expected an even number'])
  })
})
