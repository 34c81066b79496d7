import { expect } from 'chai'
import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import { instant } from 'carillon'
import { takePlace } from '../model/Consensus.js'
import {
  compare,
  entityOf,
  nextNano,
  numberOf,
  parseTransactionID,
  ScheduleIDC,
  showTimestamp,
  showTransactionID,
  timestampOf,
} from '../model/ids.js'
import {
  deepestKey,
  isSignedBy,
  keyList,
  isKey,
  KeyTreeC,
  primitivesOf,
  thresholdKey,
  type KeyTree,
} from '../model/KeyTree.js'
import { parseBody, transactionBody } from '../model/ScheduledBody.js'
import { defaultSettings, maxPendingTxns, problemWith } from '../model/Settings.js'
import { sigPair, witness } from '../model/SignatureMap.js'
import { key, keyPair } from './Scene.js'

const [a, b, c] = [key('a'), key('b'), key('c')]

describe('a timestamp', () => {
  const timestamps = fc.record({
    seconds: fc.integer({ min: 0, max: 2 ** 40 }),
    nanos: fc.integer({ min: 0, max: 999_999_999 }),
  })

  it('is an instant to the millisecond, and finer', () => {
    expect(timestampOf(instant('2026-01-01T00:00:00.123Z'))).to.deep.equal({
      seconds: 1_767_225_600,
      nanos: 123_000_000,
    })
    expect(showTimestamp({ seconds: 5, nanos: 7 })).to.equal('5.000000007')
    expect(nextNano({ seconds: 5, nanos: 999_999_999 })).to.deep.equal({ seconds: 6, nanos: 0 })
  })

  it('is earlier than the nanosecond after it, whatever it is', () => {
    fc.assert(fc.property(timestamps, (time) => compare(time, nextNano(time)) < 0 && compare(time, time) === 0))
  })
})

describe('a key tree', () => {
  it('is satisfied as its lists and thresholds say, nested', () => {
    const tree = keyList(a, thresholdKey(1, b, c))
    expect(isSignedBy(tree, new Set([a, c]))).to.equal(true)
    expect(isSignedBy(tree, new Set([b, c]))).to.equal(false)
    expect(primitivesOf([tree, a])).to.deep.equal([a, b, c])
  })

  it('counts a key that stands in it twice as often as it stands there', () => {
    expect(isSignedBy(keyList(a, a), new Set([a]))).to.equal(true)
    expect(isSignedBy(thresholdKey(2, a, a, b), new Set([a]))).to.equal(true)
    expect(isSignedBy(thresholdKey(2, a, a, b), new Set([b]))).to.equal(false)
  })

  it('is satisfied by counting, whatever the tree, and is no key if any part of it is none', () => {
    const { tree: trees } = fc.letrec<{ tree: KeyTree }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<KeyTree>(a, b, c),
        fc.array(tie('tree'), { maxLength: 3 }).map((keys) => keyList(...keys)),
        fc
          .tuple(fc.integer({ min: -1, max: 4 }), fc.array(tie('tree'), { maxLength: 3 }))
          .map(([threshold, keys]) => thresholdKey(threshold, ...keys)),
      ),
    }))
    const holds = (tree: KeyTree, signers: ReadonlySet<string>): boolean => {
      if (typeof tree === 'string') return signers.has(tree)
      const { threshold, keys } =
        'keyList' in tree ? { threshold: tree.keyList.length, keys: tree.keyList } : tree.thresholdKey
      const counted = keys.filter((one) => holds(one, signers)).length
      return threshold >= 1 && threshold <= keys.length && keys.every(isKey) && counted >= threshold
    }
    fc.assert(
      fc.property(trees, fc.subarray([a, b, c]), (tree, signers) => {
        expect(isSignedBy(tree, new Set(signers))).to.equal(holds(tree, new Set(signers)))
      }),
    )
  })

  it('is no key when it can never be satisfied, or needs nobody', () => {
    for (const tree of [keyList(), thresholdKey(0, a), thresholdKey(2, a), keyList(a, keyList())])
      expect(isKey(tree)).to.equal(false)
  })

  it('is not read when it is nested without end', () => {
    const nested = (depth: number): KeyTree => (depth === 0 ? a : keyList(nested(depth - 1)))
    expect(isRight(KeyTreeC.decode(nested(deepestKey)))).to.equal(true)
    expect(isRight(KeyTreeC.decode(nested(deepestKey + 1)))).to.equal(false)
    let endless: unknown = a
    for (let depth = 0; depth < 100_000; depth++) endless = { keyList: [endless] }
    expect(isRight(KeyTreeC.decode(endless))).to.equal(false)
  })
})

describe('a signature map', () => {
  const pairOf = (name: string, digits?: number, text = 'text') => sigPair(keyPair(name), text, digits)

  it('tells who of those asked for has signed, what is wrong and what is not needed', () => {
    const found = witness([pairOf('a'), pairOf('b', 64, 'another text'), pairOf('d')], [a, b, c], 'text')
    expect([...found.signed]).to.deep.equal([a])
    expect(found).to.include({ wrong: 1, unneeded: 1 })
  })

  it('takes the signature that tells most of a key', () => {
    const { signed, wrong } = witness([pairOf('a', 0), pairOf('b', 64)], [a, b], 'text')
    expect([...signed]).to.deep.equal([a, b])
    expect(wrong).to.equal(0)
  })
})

describe('the body of a scheduled transaction', () => {
  it('is read back as it was written, and garbage is not read', () => {
    const operation = { kind: 'cryptoTransfer', transfers: [] }
    expect(parseBody(transactionBody(operation, { nonce: 3, memo: 'm' }))).to.deep.equal({
      transactionID: { nonce: 3 },
      memo: 'm',
      operation,
    })
    fc.assert(fc.property(fc.string(), (text) => parseBody(text) === undefined || typeof JSON.parse(text) === 'object'))
    expect(parseBody('{"transactionID":{"nonce":-1}}')).to.equal(undefined)
  })
})

describe('the parameters of the network', () => {
  it('bound what can be pending: 100 creates a second for 1,800 seconds are 180,000', () => {
    expect(maxPendingTxns(defaultSettings)).to.deep.equal({ ofTheUsualLifetime: 180_000, inAll: 10_000_000 })
  })

  it('are refused when they contradict themselves', () => {
    expect(problemWith(defaultSettings)).to.equal(undefined)
    for (const wrong of [
      { txExpiryTimeSecs: -1 },
      { maxTransfers: -1 },
      { signaturePrice: -1 },
      { buckets: { scheduleCreate: -1 } },
    ])
      expect(problemWith({ ...defaultSettings, ...wrong })).to.be.a('string')
  })

  it('let each second take its places anew, and no more than it has', () => {
    const consensus = {
      operator: { name: 'Operator', key: a },
      last: { seconds: 0, nanos: 0 },
      nextEntity: 1,
      schedules: 0,
      buckets: {},
    }
    const settings = { ...defaultSettings, ledgerID: '0'.repeat(64), buckets: { scheduleCreate: 1 } }
    const once = takePlace(consensus, 'scheduleCreate', 5, settings)
    expect(once?.buckets).to.deep.equal({ scheduleCreate: { second: 5, taken: 1 } })
    expect(takePlace(once!, 'scheduleCreate', 5, settings)).to.equal(undefined)
    expect(takePlace(once!, 'scheduleCreate', 6, settings)).not.to.equal(undefined)
    expect(takePlace(once!, 'toString', 5, settings), 'without a bucket there is no limit').to.equal(once)
  })
})

describe('ids', () => {
  it('are written as shard, realm and number', () => {
    expect(numberOf(entityOf(1_001))).to.equal(1_001)
    for (const wrong of ['', '1.0.5', '0.0.-1', '0.0.01', '0.0.1 ', '0.0.x'])
      expect(isRight(ScheduleIDC.decode(wrong)), wrong).to.equal(false)
    const id = { accountID: '0.0.7', transactionValidStart: { seconds: 1, nanos: 2 } }
    expect(showTransactionID(id)).to.equal('0.0.7@1.000000002')
    expect(showTransactionID({ ...id, scheduled: true, nonce: 3 })).to.equal('0.0.7@1.000000002?scheduled/3')
    for (const known of [id, { ...id, scheduled: true }, { ...id, scheduled: true, nonce: 3 }])
      expect(parseTransactionID(showTransactionID(known))).to.deep.equal(known)
    for (const wrong of ['', '0.0.7', '0.0.7@1', '0.0.7@1.2', '0.0.7@1.000000002?', 'x0.0.7@1.000000002'])
      expect(parseTransactionID(wrong), wrong).to.equal(undefined)
  })
})
