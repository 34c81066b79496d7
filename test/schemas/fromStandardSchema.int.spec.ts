import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { expect } from 'chai'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import * as v from 'valibot'
import { z } from 'zod'
import { defineApp, defineFlow, defineSignal, defineState, fromStandardSchema, none } from 'carillon'
import { VirtualNode } from 'carillon/testing'
import { decodeWith } from '../../src/encoding/decode.js'
import { openApiOf } from '../../src/http/openApi.js'
import { sketchOf } from '../../src/http/inputSketch.js'
import { schemaOf } from '../../src/http/jsonSchema.js'
import { instant } from '../../src/time/Instant.js'
import { Chance } from '../../src/testing/simulation/Chance.js'
import { valueFor } from '../../src/testing/simulation/valueFor.js'

const codecs = {
  zod: fromStandardSchema(z.object({ kind: z.string(), grams: z.number().int().positive() })),
  valibot: fromStandardSchema(
    toStandardJsonSchema(v.strictObject({ kind: v.string(), grams: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
  ),
  arktype: fromStandardSchema(type({ '+': 'reject', kind: 'string', grams: 'number.integer > 0' })),
}

const assam = { kind: 'Assam', grams: 5 }

const problemsOf = <A>(codec: t.Type<A, unknown>, value: unknown): string => {
  const decoded = decodeWith(codec, value)
  expect(codec.is(value), 'is() and decode() agree').to.equal(isRight(decoded))
  return isLeft(decoded) ? decoded.left.join('; ') : ''
}

for (const [library, codec] of Object.entries(codecs))
  describe(`A codec from a schema of ${library}`, () => {
    it('takes and refuses what the schema does, and names the place', () => {
      expect(decodeWith(codec, assam)).to.deep.include({ right: assam })
      expect(problemsOf(codec, { ...assam, grams: 'five' })).to.match(/^grams: /)
      expect(problemsOf(codec, 5)).to.match(/^the value: /)
      const shelf = t.strict({ shelf: t.readonlyArray(codec) })
      expect(decodeWith(shelf, { shelf: [assam] })).to.deep.include({ right: { shelf: [assam] } })
      expect(problemsOf(shelf, { shelf: [assam, { ...assam, grams: -1 }] })).to.match(/^shelf\.1\.grams: /)
    })

    it('refuses a value with a member that the schema does not know', () => {
      expect(problemsOf(codec, { ...assam, milk: true })).to.match(/^milk: /)
    })

    it('tells its JSON Schema to documents, forms and examples', () => {
      const schema = schemaOf(codec)
      expect(schema).to.have.nested.property('properties.grams.type', 'integer')
      expect(schema).to.have.property('required').with.members(['kind', 'grams'])
      expect(schema).not.to.have.property('$schema')
      expect(sketchOf(codec)).to.deep.equal({ kind: '…', grams: 1 })
      expect(sketchOf(t.strict({ tea: codec }))).to.deep.equal({ tea: { kind: '…', grams: 1 } })
      const Buy = defineFlow({ name: 'tea/Buy', input: codec, *run() {} })
      const document = JSON.stringify(openApiOf([], [Buy]))
      expect(document).to.be.a('string')
    })

    it('gives the simulator values to try flows with', () => {
      const material = { chance: new Chance('teas'), now: instant('2026-01-01T00:00:00.000Z'), parties: [], refs: [] }
      for (let count = 0; count < 20; count++) expect(valueFor(codec, material)?.value).to.satisfy(codec.is)
    })

    it('is the codec of a state, of the input of a flow, of the result of a step and of a signal', async () => {
      const Tea = defineState({
        type: 'tea/Tea',
        data: codec,
        participants: () => [virtual.node.party],
        nextScheduledActivity: () => none,
      })
      const MoreOf = defineSignal({ name: 'tea/MoreOf', data: codec })
      const Buy = defineFlow({
        name: 'tea/Buy',
        input: codec,
        *run(io, tea) {
          const weighed = yield* io.step('weigh', () => ({ ...tea, grams: tea.grams + 1 }), { result: codec })
          yield* io.finalise((tx) => tx.produce(Tea, weighed))
          const { data } = yield* io.signal(MoreOf)
          yield* io.finalise((tx) => tx.produce(Tea, data))
        },
      })
      const app = defineApp({ name: 'tea', states: [Tea], flows: [Buy], signals: [MoreOf] })
      const virtual = await VirtualNode.start({ app })
      const { id } = await virtual.node.start(Buy, assam)
      await virtual.node.idle()
      await virtual.crash()
      await virtual.restart()
      await virtual.node.signal(id, MoreOf, { kind: 'Darjeeling', grams: 2 })
      await virtual.node.resultOf(id)
      const states = await virtual.node.states(Tea)
      expect(states.map(({ data }) => data)).to.deep.equal([
        { kind: 'Assam', grams: 6 },
        { kind: 'Darjeeling', grams: 2 },
      ])
      const refused = await virtual.node.tryRun(Buy, { kind: 'Assam', grams: 0.5 })()
      expect(refused).to.have.nested.property('left.code', 'flow-input-invalid')
      await virtual.stop()
    })
  })

describe('fromStandardSchema', () => {
  it('refuses a value that the schema changes, and says where and how', () => {
    const trimmed = fromStandardSchema(z.object({ names: z.array(z.string().trim()) }))
    expect(problemsOf(trimmed, { names: ['tea'] })).to.equal('')
    expect(problemsOf(trimmed, { names: ['tea', ' tea '] })).to.match(
      /^names\.1: the schema changes it: " tea " became "tea"/,
    )
    const defaulted = fromStandardSchema(z.object({ cups: z.number().default(1) }))
    expect(problemsOf(defaulted, { cups: 2 })).to.equal('')
    expect(problemsOf(defaulted, {})).to.match(/^cups: the schema changes it: nothing became 1/)
    expect(problemsOf(fromStandardSchema(z.coerce.number()), '5')).to.contain('"5" became 5')
  })

  it('refuses a value that the schema changes where it lies', () => {
    const inPlace = {
      '~standard': {
        version: 1,
        vendor: 'careless',
        validate: (value: unknown) => ({ value: Object.assign(value as object, { seen: true }) }),
      },
    } as const
    expect(JSON.stringify(decodeWith(fromStandardSchema(inPlace), {}))).to.contain('nothing became true')
  })

  it('refuses values that are not plain JSON', () => {
    expect(problemsOf(fromStandardSchema(z.date()), new Date(0))).to.match(/not plain JSON.*class Date/)
    expect(problemsOf(fromStandardSchema(z.object({ at: z.any() })), { at: new Map() })).to.match(/at at /)
    expect(problemsOf(fromStandardSchema(z.bigint()), 1n)).to.contain('not plain JSON')
    expect(problemsOf(fromStandardSchema(z.nan()), NaN)).to.contain('not plain JSON')
  })

  it('refuses a schema that validates asynchronously, and nothing is left unhandled when it fails later', async () => {
    const slow = fromStandardSchema(z.string().refine(() => Promise.resolve(true)))
    expect(problemsOf(slow, 'tea')).to.contain('asynchronous')
    const failing = fromStandardSchema(z.string().refine(() => Promise.reject(new Error('away'))))
    expect(problemsOf(failing, 'tea')).to.contain('asynchronous')
    await new Promise(setImmediate)
  })

  it('refuses a value for which the schema throws', () => {
    const throwing = {
      '~standard': {
        version: 1,
        vendor: 'careless',
        validate: (): never => {
          throw new Error('no opinion')
        },
      },
    } as const
    expect(problemsOf(fromStandardSchema(throwing), 'tea')).to.equal('the value: the schema threw: no opinion')
  })

  it('refuses what is no schema at all, when the codec is made', () => {
    expect(() => void Reflect.apply(fromStandardSchema, undefined, [{}])).to.throw('not a schema of Standard Schema')
  })

  it('says nothing in documents of what the library cannot tell as JSON Schema, and works on', () => {
    const odd = fromStandardSchema(z.custom<string>((value) => value === 'odd'))
    expect(schemaOf(odd)).to.deep.equal({})
    expect(problemsOf(odd, 'odd')).to.equal('')
    expect(schemaOf(fromStandardSchema(v.string()))).to.deep.equal({})
  })

  it('describes a schema that contains itself so that its references hold in any document', () => {
    const Tree = z.object({
      name: z.string(),
      get parts() {
        return z.array(Tree)
      },
    })
    const codec = fromStandardSchema(Tree)
    const schema = schemaOf(t.strict({ tree: codec }))
    expect(schema)
      .to.have.nested.property('properties.tree.$id')
      .that.matches(/^urn:sha256:/)
    expect(sketchOf(t.strict({ tree: codec }))).to.deep.equal({ tree: { name: '…', parts: [] } })
    const material = { chance: new Chance('trees'), now: instant('2026-01-01T00:00:00.000Z'), parties: [], refs: [] }
    expect(valueFor(codec, material)?.value).to.satisfy(codec.is)
  })
})
