/** What the definition of an operation may do: the compiler keeps the key from those that do not sign. */
import { expect } from 'chai'
import type { Decision, SigningDecision } from '../decision/Decision.js'
import { valueAnswer } from './Answer.js'
import { defineOperation } from './defineOperation.js'

type Sample = { readonly kind: 'sample' }

const common = { kind: 'sample', identity: () => ({}), label: () => 'sample' } as const

describe('The definition of an operation', () => {
  it('gives the key only to an operation that signs', () => {
    const signing = defineOperation<Sample>({
      ...common,
      signs: true,
      perform: ({ key }) => valueAnswer(key.publicKey),
      revive: ({ key }) => key.publicKey,
    })
    expect(signing.signs).to.equal(true)

    defineOperation<Sample>({
      ...common,
      // @ts-expect-error -- an operation that does not sign has no key
      perform: ({ key }) => valueAnswer(key),
    })
    defineOperation<Sample>({
      ...common,
      signs: false,
      perform: () => valueAnswer(undefined),
      // @ts-expect-error -- nor has it one when its answer is revived
      revive: ({ key }) => valueAnswer(key),
    })
    // @ts-expect-error -- it cannot ask for more than it is given
    defineOperation<Sample>({
      ...common,
      perform: (decision: SigningDecision) => valueAnswer(decision.key),
    })
    const needsKey = (decision: SigningDecision): unknown => decision.key
    defineOperation<Sample>({
      ...common,
      // @ts-expect-error -- and cannot hand on what it does not have
      perform: (decision: Decision) => valueAnswer(needsKey(decision)),
    })
  })

  it('says no to what it does not declare, and revives the recorded result', () => {
    const plain = defineOperation<Sample>({ ...common, perform: () => valueAnswer(1, 1) })
    expect(plain).to.include({ isRead: false, statesFacts: false, readsLog: false, signs: false })
    const nothing = undefined as unknown as SigningDecision
    expect(plain.revive(nothing, { kind: 'sample' }, { kind: 'sample', digest: '', result: 7 })).to.equal(7)
    expect(plain.recordedBytes({ kind: 'sample' }, 7)).to.equal(0)
  })
})
