/** How long a refused opening is remembered, and for whom. */
import { expect } from 'chai'
import { sha256 } from '../encoding/hash.js'
import type { PublicKey } from '../identity/PublicKey.js'
import type { SessionEnvelope } from '../log/Message.js'
import type { SessionId } from '../log/SessionId.js'
import { RefusedOpenings } from './RefusedOpenings.js'

const [mallory, alice] = ['ed25519:m', 'ed25519:a'] as PublicKey[] as [PublicKey, PublicKey]
const opening = (number: number): SessionEnvelope => ({
  ...{ kind: 'message', session: String(number) as SessionId, from: 'initiator', seq: 0 },
  message: { kind: 'open', flow: 'shop/Buy', version: 1, nonce: sha256('') },
})
const full = { code: 'member-budget-exceeded', message: 'Too many.' }

describe('A refused opening', () => {
  it('is remembered for the party that sent it, and for that session alone', () => {
    const refused = new RefusedOpenings(10)
    refused.keep(mallory, opening(1), full)
    expect(refused.find(mallory, opening(1))).to.deep.equal(full)
    expect(refused.find(mallory, opening(2))).to.equal(undefined)
    expect(refused.find(alice, opening(1))).to.equal(undefined)
  })

  it('is forgotten once its own party was refused so many more, whatever others do', () => {
    const refused = new RefusedOpenings(10)
    refused.keep(alice, opening(0), full)
    for (let number = 0; number < 1_000; number++) refused.keep(mallory, opening(number), full)
    expect(refused.find(alice, opening(0))).to.deep.equal(full)
    const kept = Array.from({ length: 1_000 }, (_, number) => number).filter(
      (number) => refused.find(mallory, opening(number)) !== undefined,
    )
    expect(kept).to.deep.equal(Array.from({ length: 10 }, (_, place) => 990 + place))
  })

  it('is not remembered where it may be sent again later, and no other message is', () => {
    const refused = new RefusedOpenings(10)
    refused.keep(mallory, opening(1), { ...full, retryAfterMs: 1_000 })
    const later: SessionEnvelope = {
      ...{ kind: 'message', session: '2' as SessionId, from: 'initiator', seq: 1 },
      message: { kind: 'data', payload: 1 },
    }
    refused.keep(mallory, later, full)
    expect(refused.find(mallory, opening(1))).to.equal(undefined)
    expect(refused.find(mallory, opening(2))).to.equal(undefined)
  })
})
