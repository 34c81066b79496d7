/** The model stands on ring 1 and on the types of events. The layer check refuses anything else that is planted in it. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import * as t from 'io-ts'

const PatternC = t.union([t.string, t.array(t.string)])
const ConfigC = t.type({
  default: t.type({
    forbidden: t.array(t.type({ name: t.string, to: t.partial({ path: PatternC, pathNot: PatternC }) })),
  }),
})

const file = join(import.meta.dirname, '../../.dependency-cruiser.js')

const isRefused = async (path: string): Promise<boolean> => {
  const config: unknown = await import(pathToFileURL(file).href)
  if (!ConfigC.is(config)) throw new Error('The configuration of the layer check has another form.')
  const rule = config.default.forbidden.find(({ name }) => name === 'room-model')
  const matches = (pattern: t.TypeOf<typeof PatternC> = []): boolean =>
    [pattern].flat().some((one) => new RegExp(one).test(path))
  return matches(rule?.to.path) && !matches(rule?.to.pathNot)
}

describe('An import planted in the model', () => {
  for (const room of [
    'vault/StateRow',
    'agenda/decideDue',
    'log/FlowId',
    'log/decodeEvent',
    'storage/StoredViews',
    'engine/Loop',
  ])
    it(`is refused when it leads to ${room}, which the model is compared with`, async () => {
      expect(await isRefused(`src/${room}.ts`)).to.equal(true)
    })

  for (const room of ['ledger/StateRef', 'time/Instant', 'encoding/canonical', 'limits', 'log/events', 'model/agenda'])
    it(`is accepted when it leads to ${room}`, async () => {
      expect(await isRefused(`src/${room}.ts`)).to.equal(false)
    })
})
