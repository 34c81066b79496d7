import { expect } from 'chai'
import * as t from 'io-ts'
import { right } from 'fp-ts/lib/Either.js'
import {
  CarillonError,
  defineApp,
  defineCommand,
  defineContract,
  defineFlow,
  defineState,
  NoInputC,
  startNode,
} from '../../src/index.js'
import { appOf, refusal, startVirtual } from '../flow/ledgerOfNotes.js'

const state = (options: object = {}) =>
  defineState({ type: 'notes/One', data: t.strict({}), participants: () => [], ...options })
const flow = (options: object = {}) =>
  defineFlow({
    name: 'notes/One',
    input: NoInputC,
    *run() {
      return 1
    },
    ...options,
  })
const contract = (options: object = {}) =>
  defineContract({ name: 'notes/One', verify: () => right(undefined), ...options })

const caught = (define: () => unknown): CarillonError => {
  try {
    define()
  } catch (error) {
    if (error instanceof CarillonError) return error
    throw error
  }
  throw new Error('It was expected to be refused.')
}

describe('A bad definition', () => {
  const badNames = ['', ' ', 'has space', '1st', '/lead', 'trail/', 'a//b', 'ümlaut', 'a/1', 'new\nline', '-dash']
  for (const name of badNames) {
    it(`is refused for its name: ${JSON.stringify(name)}`, () => {
      const definitions: Readonly<Record<string, () => unknown>> = {
        state: () => state({ type: name }),
        flow: () => flow({ name }),
        contract: () => contract({ name }),
        command: () => defineCommand({ type: name }),
        app: () => defineApp({ name, states: [], flows: [] }),
      }
      for (const [kind, define] of Object.entries(definitions)) {
        const error = caught(define)
        expect(error.code, kind).to.equal('definition-invalid')
        expect(error.message).to.include(`"${name}" cannot name a`).and.to.include(kind).and.to.include('heartbeat/')
      }
    })
  }

  it('is not seen in good names', () => {
    for (const name of ['a', 'heartbeat/Heartbeat', 'A.b-c_d/E2/f']) {
      expect(state({ type: name }).type).to.equal(name)
      expect(flow({ name }).name).to.equal(name)
      expect(contract({ name }).name).to.equal(name)
      expect(defineCommand({ type: name }).type).to.equal(name)
    }
  })

  it('is refused for a version that is not a whole number from 1', () => {
    for (const version of [0, -1, 1.5, Number.NaN, Infinity, '2' as unknown as number]) {
      for (const define of [state, flow, contract]) {
        const error = caught(() => define({ version }))
        expect(error.code).to.equal('definition-invalid')
        expect(error.message).to.include('notes/One').and.to.include(String(version)).and.to.include('from 1')
      }
    }
  })

  it('is refused for a gap in its upcasters or its earlier rules', () => {
    const gap = caught(() => state({ version: 3, upcasters: { 1: (older: unknown) => older } }))
    expect(gap.code).to.equal('definition-invalid')
    expect(gap.message).to.include('notes/One').and.to.include('version 2').and.to.include('upcasters: { 2:')
    const rules = caught(() => contract({ version: 2 }))
    expect(rules.code).to.equal('definition-invalid')
    expect(rules.message).to.include('notes/One').and.to.include('earlier: { 1:')
  })

  it('is refused when two of a kind share a name, before the node records anything', async () => {
    const twins = {
      states: defineApp({ name: 'notes', states: [state(), state()], flows: [] }),
      flows: defineApp({ name: 'notes', states: [], flows: [flow(), flow()] }),
      contracts: defineApp({
        name: 'notes',
        states: [state({ contract: contract() }), state({ type: 'notes/Two', contract: contract() })],
        flows: [],
      }),
    }
    for (const [kind, app] of Object.entries(twins)) {
      const error = await refusal(startNode({ app }), 'definition-invalid')
      expect(error.message).to.include(`Two ${kind} are named notes/One`).and.to.include('another name')
    }
    const virtual = await startVirtual(appOf([]))
    await virtual.stop()
    const head = virtual.store.head()
    await refusal(virtual.restart({ app: twins.flows }), 'definition-invalid')
    expect(virtual.store.head()).to.deep.equal(head)
    await virtual.restart()
    await virtual.stop()
  })

  it('is not seen in the same definition listed twice', async () => {
    const one = state()
    const node = await startNode({ app: defineApp({ name: 'notes', states: [one, one], flows: [] }) })
    await node.stop()
  })
})
