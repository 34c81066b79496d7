/** The kinds of operations: each has a file, is in the list, and keeps its digest for ever. */
import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import * as t from 'io-ts'
import { sha256 } from '../encoding/hash.js'
import { keyPairFromSeed } from '../identity/KeyPair.js'
import type { Party } from '../identity/Party.js'
import { defineCommand } from '../ledger/Command.js'
import type { SignedTransaction } from '../ledger/SignedTransaction.js'
import { defineState } from '../ledger/StateDefinition.js'
import { TransactionBuilder } from '../ledger/TransactionBuilder.js'
import type { FlowId } from '../log/FlowId.js'
import type { SessionId } from '../log/SessionId.js'
import { instant } from '../time/Instant.js'
import { describeOperation } from './describeOperation.js'
import { definitionOf, operations, type Operation } from './Operation.js'
import type { Parts } from '../flow/Parts.js'
import { defaultRetry } from '../flow/RetryPolicy.js'

const definition = defineState({
  type: 'test/Coin',
  data: t.strict({ value: t.number }),
  participants: () => [],
  key: ({ value }) => String(value),
})
const party: Party = { name: 'Alice', key: keyPairFromSeed('1'.repeat(64)).publicKey }
const notary: Party = { name: 'Notary', key: keyPairFromSeed('2'.repeat(64)).publicKey }
const transaction = sha256('a transaction')
const ref = { transaction, index: 0 }
const session = sha256('a session') as unknown as SessionId
const role = 'initiator'

const signed: SignedTransaction = {
  body: {
    inputs: [ref],
    references: [],
    outputs: [{ type: 'test/Coin', version: 1, contract: { name: 'test/Coin', version: 1 }, data: { value: 2 } }],
    commands: [{ type: 'test/Change', data: null }],
    signers: [[party.key]],
    notary,
    salt: '0'.repeat(32),
  },
  signatures: [],
}

const draft = new TransactionBuilder()
  .consume(ref)
  .produce(definition, { value: 2 })
  .command(defineCommand({ type: 'test/Change' }), [party])

const parts = (): Parts['parts'] => ['left', 'right'].map((name) => [name, [][Symbol.iterator]() as never] as const)

/** One operation of each kind with the digest that the records of flows hold of it. */
const golden: { readonly [K in Operation['kind']]: readonly [Extract<Operation, { readonly kind: K }>, string] } = {
  all: [{ kind: 'all', parts: parts() }, '73eca9d546b16c12'],
  cancelled: [{ kind: 'cancelled', by: 'carol' }, 'fbdfe33407d867bd'],
  changeNotary: [{ kind: 'changeNotary', refs: [ref], notary }, '9e6b578ea3bc4067'],
  check: [{ kind: 'check', signed, exceptKeys: [] }, '714d08b7af4600a0'],
  close: [{ kind: 'close', session, role }, '7f7424915e251c43'],
  continueAs: [{ kind: 'continueAs', flow: 'test/Next', input: { a: 1 } }, 'd76e49e4f75924c1'],
  dependencies: [{ kind: 'dependencies', signed, exceptKeys: [], isUnasked: false }, '2a157b05dcd7473f'],
  enter: [{ kind: 'enter', flow: 'test/Inner', input: { b: 1, a: [true] } }, '4079c205d2ebc0b3'],
  finalise: [{ kind: 'finalise', draft, isShared: false }, 'b28fc9fe69793b53'],
  find: [{ kind: 'find', definition, key: '2' }, '1aff164d7807af7b'],
  initiate: [
    { kind: 'initiate', session, nonce: sha256('nonce'), party, flow: 'test/Pay', version: 1 },
    '73a1be6380b68aa0',
  ],
  join: [
    { kind: 'join', child: '55555555555555555555555555555555' as FlowId, withinMs: undefined },
    'a273839d2a0e3bf9',
  ],
  kill: [{ kind: 'kill', ref }, 'faecc1cff4d5a28c'],
  load: [{ kind: 'load', definition, ref }, 'f2658b370e3bef39'],
  lock: [{ kind: 'lock', refs: [ref] }, 'cbede2c46259ae1f'],
  newId: [{ kind: 'newId' }, 'dd9f238f80c7327f'],
  notarise: [
    { kind: 'notarise', request: { type: 'whole', transaction: signed, callerSignature: 's' }, caller: party },
    '30d78d068c4ecd72',
  ],
  notaryChangeSigned: [{ kind: 'notaryChangeSigned', id: transaction }, 'd8e25b018d49c348'],
  notaryRequest: [{ kind: 'notaryRequest', signed }, '66afe9070fe37bcc'],
  now: [{ kind: 'now' }, '59af4ee341b9ebbc'],
  parents: [{ kind: 'parents', ids: [transaction] }, '87d5ab1ba7584c6c'],
  progress: [{ kind: 'progress', label: 'half done' }, '538bf9d4f2d2f236'],
  query: [{ kind: 'query', definition, query: { limit: 10, status: 'all' } }, 'ce0433f724a087fb'],
  queryPage: [{ kind: 'queryPage', definition, query: { limit: 10, after: 'x' } }, 'b3bef85225576bbd'],
  race: [{ kind: 'race', parts: parts() }, '692f302639be17db'],
  receive: [{ kind: 'receive', session, role, party: 'Alice', seq: 3 }, '08504e3fc2f566d6'],
  record: [{ kind: 'record', transactions: [signed] }, '33701d8d95998d1d'],
  recordHistory: [{ kind: 'recordHistory', session, role, party: 'Alice', seq: 3 }, '2dc219ad87ecf19d'],
  send: [{ kind: 'send', session, role, party: 'Alice', payload: '{"a":1}' }, '0977e3e1bbdfc109'],
  sendSignal: [
    { kind: 'sendSignal', to: '55555555555555555555555555555555' as FlowId, signal: 'test/Go', data: { a: 1 } },
    'c5c16962de7dfeee',
  ],
  sign: [{ kind: 'sign', signed }, '9a475519d7816a6b'],
  signal: [{ kind: 'signal', signal: 'test/Go', withinMs: 1_000 }, 'f3f1ac25a10b6d77'],
  signId: [{ kind: 'signId', id: transaction }, 'ccb85d7cf0cf3522'],
  sleep: [{ kind: 'sleep', durationMs: 86_400_000 }, 'd4f3c4f46f6e6f72'],
  sleepUntil: [{ kind: 'sleepUntil', until: instant('2026-01-01T00:00:00.000Z') }, '998a1c645cc43d26'],
  start: [
    {
      kind: 'start',
      child: '55555555555555555555555555555555' as FlowId,
      flow: 'test/Child',
      input: { a: 1 },
      whenParentEnds: 'leave',
    },
    'a489ab1bfef08674',
  ],
  step: [
    { kind: 'step', name: 'charge', run: () => 1, retry: defaultRetry, thenPark: false, timeoutMs: undefined },
    '957b2ea9e3623aa8',
  ],
  takeHistory: [{ kind: 'takeHistory', session, role, party: 'Alice', seq: 3, takenBytes: 7 }, '68f13ce8626ed2cc'],
  traceHistory: [
    { kind: 'traceHistory', session, role, party: 'Alice', seq: 3, wanted: [transaction], room: 7 },
    '1a76c7c9dd8e1d78',
  ],
  unlock: [{ kind: 'unlock', refs: [ref] }, '9fb22448effe0672'],
  vend: [{ kind: 'vend', session, role, ids: [transaction] }, '7a461d13cb84ccfe'],
  waitFor: [{ kind: 'waitFor', definition, wanted: { key: '2' }, withinMs: undefined }, 'bd173156b053759b'],
  waitForConsumption: [{ kind: 'waitForConsumption', ref, withinMs: undefined }, '7ac6ff0b3f3f4ba1'],
  waitForTransaction: [{ kind: 'waitForTransaction', transaction, withinMs: 1_000 }, 'e392743cdbf492f4'],
  walk: [{ kind: 'walk', frontier: [transaction] }, 'd86970c749f059ad'],
}

const kindsThat = (is: 'isRead' | 'statesFacts' | 'readsLog' | 'signs'): readonly string[] =>
  Object.values(operations)
    .filter((known) => known[is])
    .map(({ kind }) => kind)

describe('The kinds of operations', () => {
  it('have one file each, named after the kind', () => {
    const files = ['flow', 'session', 'notary', 'finality', 'agenda'].flatMap((room) =>
      readdirSync(new URL(`../${room}/operations`, import.meta.url)).map((file) => file.replace(/\.ts$/, '')),
    )
    expect(files.sort()).to.deep.equal(Object.keys(operations).sort())
    for (const [kind, known] of Object.entries(operations)) expect(known.kind).to.equal(kind)
  })

  for (const [kind, [operation, digest]] of Object.entries(golden))
    it(`keep the digest that records hold: ${kind}`, () => {
      expect(describeOperation(operation)).to.include({ kind, digest })
      expect(describeOperation(operation).label).to.be.a('string')
    })

  it('do not share a digest', () => {
    expect(new Set(Object.values(golden).map(([, digest]) => digest)).size).to.equal(Object.keys(operations).length)
  })

  it('say what they need of a tick', () => {
    expect(kindsThat('signs').join(' ')).to.equal('changeNotary notarise notaryRequest sign signId')
    expect(kindsThat('readsLog').join(' ')).to.equal('vend walk')
    expect(kindsThat('isRead').join(' ')).to.equal(
      'all check dependencies enter find join load newId now progress query queryPage race waitFor waitForConsumption waitForTransaction',
    )
    expect(kindsThat('statesFacts').join(' ')).to.equal(
      'changeNotary close continueAs finalise initiate kill lock notarise record recordHistory send sendSignal sign signal start takeHistory vend',
    )
  })

  it('are not guessed: what is of another kind, or cannot be described, is recorded as invalid', () => {
    const strange = { kind: 'toString' } as unknown as Operation
    expect(definitionOf(strange).kind).to.equal('invalid')
    const { digest } = describeOperation(strange)
    const unencodable = { kind: 'enter', flow: 'x', input: Number.NaN } as const
    expect(describeOperation(unencodable)).to.include({ kind: 'invalid', digest })
  })
})
