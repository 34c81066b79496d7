/** What the definition of an operation may do: the compiler keeps all that writes or signs from those that only decide. */
import { expect } from 'chai'
import { CarillonError, NodeFault } from '../errors/CarillonError.js'
import { oneByOne, valueAnswer } from './Answer.js'
import { deciding } from '../errors/Decision.js'
import { defineOperation } from './defineOperation.js'
import type { FlowReads } from './FlowReads.js'
import type { Signing } from '../identity/Signing.js'
import { parseRef, type StateRef } from '../ledger/StateRef.js'
import { flowIdOfClientId } from '../log/FlowId.js'

type Sample = { readonly kind: 'sample'; readonly ref: StateRef }

type Has<T, K extends string> = K extends keyof T ? true : false

const sample: Sample = { kind: 'sample', ref: parseRef(`${'0'.repeat(64)}:0`) }
const flow = flowIdOfClientId('a client', undefined)

const common = { kind: 'sample', identity: () => ({}), label: () => 'sample' } as const

describe('The definition of an operation', () => {
  it('answers with a refusal, and lets errors of the node and of app code pass', () => {
    const answering = (thrown: Error): (() => unknown) => {
      const { decide } = defineOperation<Sample, object>({
        ...common,
        decide: () => {
          throw thrown
        },
      })
      return () => decide({ sign: () => expect.fail('nothing is signed') }, sample, flow)
    }
    const refusal = new CarillonError('state-consumed', 'It was consumed.')
    expect(answering(refusal)()).to.deep.equal({ kind: 'error', error: refusal })
    for (const passed of [new NodeFault('invariant-broken', 'Broken.'), new TypeError('no function')])
      expect(answering(passed)).to.throw(passed.constructor as ErrorConstructor, passed.message)
  })

  it('decides item by item until one is refused', () => {
    const refusal = new CarillonError('state-consumed', 'It was consumed.')
    const decideItem = deciding((item: string) => {
      if (item === 'second') throw refusal
      return []
    })
    const first = oneByOne(['first', 'second', 'third'], decideItem, () => expect.fail('not all were decided'))
    expect(first.kind === 'facts' ? first.next() : first).to.deep.equal({ kind: 'error', error: refusal })
  })

  it('lets only an operation sign that declares so', () => {
    const signing = defineOperation<Sample, FlowReads>({
      ...common,
      signs: true,
      decide: ({ sign }) => valueAnswer(sign('transaction', 'a text').by),
      revive: ({ sign }) => sign('transaction', 'a text').by,
    })
    expect(signing.signs).to.equal(true)

    defineOperation<Sample, FlowReads>({
      ...common,
      // @ts-expect-error -- an operation that does not declare it cannot sign
      decide: ({ sign }) => valueAnswer(sign),
    })
    defineOperation<Sample, FlowReads>({
      ...common,
      signs: false,
      decide: () => valueAnswer(undefined),
      // @ts-expect-error -- nor when its answer is revived
      revive: ({ sign }) => valueAnswer(sign),
    })
    // @ts-expect-error -- it cannot ask for more than it is given
    defineOperation<Sample, FlowReads>({
      ...common,
      decide: (reads: FlowReads & Signing) => valueAnswer(reads.sign('transaction', 'a text')),
    })
    defineOperation<Sample, FlowReads>({
      ...common,
      signs: true,
      // @ts-expect-error -- and never has the key itself
      decide: ({ key }) => valueAnswer(key),
    })
  })

  it('gives a decider nothing to write with', () => {
    const definition = defineOperation<Sample, FlowReads>({
      ...common,
      decide: (reads, { ref }) => {
        const row = reads.views.states.find(ref)
        // @ts-expect-error -- a row cannot be changed
        if (row !== undefined) row.key = 'another key'
        return valueAnswer(undefined)
      },
    })
    expect(definition.kind).to.equal('sample')
    const canEmit: Has<FlowReads, 'emit'> = false
    const canInsert: Has<FlowReads['views']['states'], 'insert'> = false
    expect([canEmit, canInsert]).to.deep.equal([false, false])
  })

  it('says no to what it does not declare, and revives the recorded result', () => {
    const plain = defineOperation<Pick<Sample, 'kind'>, unknown>({ ...common, decide: () => valueAnswer(1, 1) })
    expect(plain).to.include({ isRead: false, statesFacts: false, readsLog: false, signs: false })
    const nothing = undefined as unknown as Signing
    expect(plain.revive(nothing, { kind: 'sample' }, { kind: 'sample', digest: '', result: 7 })).to.equal(7)
    expect(plain.recordedBytes({ kind: 'sample' }, 7)).to.equal(0)
  })
})
