import { expect } from 'chai'
import { canonicalText } from '../encoding/canonical.js'
import { describeEvent } from './describeEvent.js'

const flow = '0123456789abcdef0123456789abcdef'
const digest = '0a59b47565aaa818'
const buy = { for: 'step', kind: 'step', digest, label: 'step "buy"' }
const advanced = (...waiting: readonly object[]): string =>
  describeEvent(canonicalText({ type: 'FlowAdvanced', flow, operations: [], waiting }), 7).text

describe('describeEvent', () => {
  it('says of a flow that recorded nothing new what failed, and when it is tried again', () => {
    const error = { code: 'step-failed', message: 'the shop is shut' }
    const retryAt = '2026-01-31T09:00:01.500Z'
    expect(advanced({ ...buy, attempt: 2, error, retryAt })).to.equal(
      '0123456789ab step "buy" failed: the shop is shut, try 2 at 2026-01-31 09:00:01.500Z',
    )
    expect(advanced({ ...buy, attempt: 2 })).to.equal('0123456789ab step "buy", try 2')
    expect(advanced({ ...buy, attempt: 1 })).to.equal('0123456789ab step "buy"')
    expect(advanced({ for: 'turn', attempt: 3, error, retryAt })).to.equal(
      '0123456789ab it failed: the shop is shut, try 3 at 2026-01-31 09:00:01.500Z',
    )
  })

  it('names each thing that the parts of a flow wait for, and nothing for one that only made room', () => {
    const sleep = { for: 'instant', kind: 'sleep', digest, until: '2026-01-31T09:00:00.000Z' }
    expect(advanced({ ...buy, attempt: 1 }, sleep)).to.equal('0123456789ab step "buy"; sleep')
    expect(advanced({ for: 'turn' })).to.equal('0123456789ab')
  })

  it('shows what is no event as it is', () => {
    expect(describeEvent('{"type":"Nonsense"}', 7)).to.deep.equal({ type: '?', text: '{"type":"Nonsense"}' })
  })
})
