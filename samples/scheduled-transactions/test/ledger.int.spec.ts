import { expect } from 'chai'
import * as t from 'io-ts'
import { defineFlow, refuseWith, type FlowBody, type TransactionBuilder } from 'carillon'
import { LogBackedStore, MemoryLog } from 'carillon/logs'
import { VirtualNode } from 'carillon/testing'
import { scheduledTransactions } from '../app.js'
import { ScheduleNetwork } from '../client/ScheduleNetwork.js'
import { Wallet } from '../client/Wallet.js'
import { commands } from '../kinds.js'
import type { End } from '../model/Schedule.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { defaultSettings, treasury } from '../model/Settings.js'
import { SignatureMapC, type SignatureMap } from '../model/SignatureMap.js'
import { nextNano, timestampOf } from '../model/ids.js'
import { schedulableFlow } from '../operations/Operation.js'
import {
  Account,
  Consensus,
  IdentityEntry,
  Network,
  PastSchedule,
  Record,
  Schedule,
  Signatories,
  theConsensus,
  theNetwork,
} from '../states.js'
import { key, keyPair, Scene, start, startSecond, statusOf } from './Scene.js'

describe('the contract of the network', () => {
  /** A flow that writes what it likes; the contract stands in its way. */
  const Cheat = defineFlow({
    name: 'test/Cheat',
    input: t.strict({ what: t.string, schedule: t.string, account: t.string, sigMap: SignatureMapC }),
    *run(io, { what, schedule: id, account: accountID, sigMap }): FlowBody<void> {
      const network = yield* io.find(Network, theNetwork)
      const consensus = yield* io.find(Consensus, theConsensus)
      const schedule = yield* io.find(Schedule, id)
      const signatories = yield* io.find(Signatories, id)
      const identity = yield* io.find(IdentityEntry, schedule?.data.identityHash ?? '')
      const account = yield* io.find(Account, accountID)
      if (!network || !consensus || !schedule || !signatories || !identity || !account) return
      const { last } = consensus.data
      const later = nextNano(last)
      const end = (as: End['as']): TransactionBuilder => {
        const past = {
          ...schedule.data,
          signers: signatories.data.keys,
          end: { as, at: later, result: null },
          keptUntil: null,
        }
        return begin('expire').consume(schedule, signatories).produce(PastSchedule, past)
      }
      let transaction: TransactionBuilder
      const begin = (purpose: keyof typeof commands): TransactionBuilder =>
        transaction.reference(network, identity).command(commands[purpose], [io.me], { submitted: null })
      const cheats: ReadonlyMap<string, () => TransactionBuilder> = new Map(
        Object.entries({
          mint: () =>
            begin('submit')
              .consume(account)
              .produce(Account, { ...account.data, balance: 9_999 }),
          overdraw: () =>
            begin('submit')
              .consume(account)
              .produce(Account, { ...account.data, balance: -1 }),
          turnBack: () =>
            begin('submit')
              .consume(consensus)
              .produce(Consensus, { ...consensus.data, last: { ...last, seconds: 0 } }),
          forge: () =>
            begin('sign')
              .reference(schedule)
              .consume(signatories)
              .produce(Signatories, { ...signatories.data, keys: [key('A')] }),
          signFor: () => {
            const operation = { kind: 'scheduleSign', scheduleID: id, sigMap }
            const submitted = { body: { transactionID: schedule.data.transactionID, operation }, sigMap: [] }
            return transaction
              .reference(network, identity, schedule)
              .consume(signatories)
              .produce(Signatories, { ...signatories.data, keys: [key('A')] })
              .command(commands.sign, [io.me], { submitted })
          },
          vanish: () => begin('expire').consume(schedule, signatories),
          executeUnsigned: () => end('executed').reference(account),
          deleteUnsigned: () => end('deleted'),
          expireEarly: () => end('expired'),
          recordNothing: () =>
            begin('submit').produce(Record, {
              operator: io.me,
              id: 'x',
              record: {
                receipt: { status: 'SUCCESS' },
                transactionHash: '',
                consensusTimestamp: later,
                transactionID: schedule.data.transactionID,
                memo: '',
                transactionFee: 0,
                transferList: [],
              },
            }),
          twoPurposes: () =>
            begin('submit')
              .command(commands.sign, [io.me], { submitted: null })
              .consume(account)
              .produce(Account, account.data),
        }),
      )
      yield* io.finalise((builder) => {
        transaction = builder
        return cheats.get(what)?.() ?? builder
      })
    },
  })

  const cheated = (scene: Scene, what: string, schedule: string, sigMap: SignatureMap = []): Promise<string> =>
    scene.virtual.node.run(Cheat, { what, schedule, account: scene.id('A'), sigMap }).then(
      () => 'nothing was refused',
      (thrown: unknown) => String(thrown),
    )

  it('refuses money from nowhere, forged signers, executions that nobody signed, and time that goes back', async () => {
    const scene = await Scene.open({ flows: [Cheat] })
    await scene.people('A', 'B')
    const schedule = await scene.created(scene.transfer('A', 'B', 1), {
      adminKey: key('admin'),
      alsoSigning: [keyPair('admin')],
    })
    for (const [what, sentence] of Object.entries({
      mint: 'money is only made',
      overdraw: 'no account is overdrawn',
      turnBack: 'consensus time goes forwards',
      forge: 'a new signer has signed',
      vanish: 'a schedule that is gone is history',
      executeUnsigned: 'its keys are satisfied',
      deleteUnsigned: 'deleted by its admin key',
      expireEarly: 'expires at its expiration time',
      recordNothing: 'a record has a time of its own',
      twoPurposes: 'one purpose',
    })) {
      expect(await cheated(scene, what, schedule), what).to.include(sentence)
    }
    expect(await scene.infoStatus(schedule)).to.equal('SUCCESS')
  })

  it('refuses a signature made before an identical schedule had ended, recorded or not', async () => {
    const scene = await Scene.open({ flows: [Cheat] })
    await scene.people('A', 'B')
    const body = scene.transfer('A', 'B', 1)
    await scene.created(body, { expirationTime: scene.second + 10 })
    const held = scene.signature('A', body)
    await scene.pass(10)
    const next = await scene.created(body)
    expect(await cheated(scene, 'signFor', next, [held])).to.include('had ended does not count')
    const fresh = scene.signature('A', body)
    expect(await cheated(scene, 'signFor', next, [fresh])).to.equal('nothing was refused')
  })
})

describe('the ledger of the network', () => {
  it('[HED-361] gives the same schedules, signers and records when its log is replayed', async () => {
    const log = new MemoryLog()
    const network = scheduledTransactions()
    const virtual = await VirtualNode.start({ app: network.app, start, store: await LogBackedStore.open(log) })
    const open = (node: VirtualNode['node']) => ScheduleNetwork.open(node, network, { key: key('treasury') })
    const client = await open(virtual.node)
    const wallet = new Wallet(client.ledgerID, treasury, [keyPair('treasury')])
    const now = () => timestampOf(virtual.now)
    const ids: string[] = []
    for (let nonce = 0; nonce < 6; nonce++) {
      const operation = {
        kind: 'scheduleCreate',
        transactionBody: transactionBody({ kind: 'cryptoTransfer', transfers: [] }, { nonce }),
        ...(nonce % 2 === 0 ? {} : { expirationTime: startSecond + 60, waitForExpiry: true }),
      } as const
      ids.push((await client.create(wallet.transaction(operation, now()))).receipt?.schedule ?? '')
    }
    await virtual.advanceBy({ seconds: 120 })
    const read = async (node: VirtualNode['node']): Promise<string> => {
      const rows = await Promise.all(
        [Schedule, Signatories, PastSchedule, IdentityEntry, Record, Account].map(({ type }) =>
          node.queryVault({ type, limit: 1_000 }),
        ),
      )
      return JSON.stringify(rows.map(({ items }) => items))
    }
    const live = await read(virtual.node)
    expect(live).to.include('INVALID_PAYER_SIGNATURE')
    await virtual.crash()
    const again = await VirtualNode.start({
      app: network.app,
      start: virtual.now,
      store: await LogBackedStore.open(log),
    })
    expect(await read(again.node)).to.equal(live)
    expect((await (await open(again.node)).history(ids[1])).history?.end?.as).to.equal('expired')
  })

  it('clears many schedules of one second in bounded parts, in order, over a crash', async () => {
    const count = 120
    const scene = await Scene.open({ settings: { expiryCapacity: count, buckets: {} } })
    await scene.people('A', 'B')
    const expirationTime = startSecond + 60
    const create = (nonce: number) =>
      scene.created(scene.transfer('A', 'B', 1, { nonce }), { expirationTime, waitForExpiry: true, signs: ['D', 'A'] })
    const ids = await Promise.all(Array.from({ length: count }, (_, nonce) => create(nonce)))
    scene.virtual.clock.setTo(expirationTime * 1_000)
    await new Promise((resolve) => setImmediate(resolve))
    await scene.downFor(1)
    const times: number[] = []
    for (const id of ids) {
      const { history } = await scene.network.history(id)
      expect(history?.end).to.include({ as: 'executed', result: 'SUCCESS' })
      const { seconds, nanos } = history!.end!.at
      times.push((seconds - expirationTime) * 1_000_000_000 + nanos)
    }
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b))
    expect(await scene.balance('B')).to.equal(1_000 + count)
  })
})

describe('a flow that an app registers', () => {
  const rung: string[] = []
  const Ring = defineFlow({
    name: 'bells/Ring',
    input: t.strict({ bell: t.string, account: t.string, hours: t.number }),
    refusals: t.strict({ reason: t.string }),
    *run(io, { bell, hours }) {
      if (hours > 0) yield* io.sleep({ hours })
      if (bell === 'cracked') throw new Error('The bell is cracked.')
      if (bell === 'huge') throw new Error('x'.repeat(300_000))
      if (bell === 'silent') return refuseWith({ reason: 'it is night' })
      yield* io.step('ring', () => void rung.push(bell))
      return undefined
    },
  })
  const ring = schedulableFlow(Ring, { signedBy: ({ account }) => [account] })
  const settings = { whitelist: [...defaultSettings.whitelist, 'bells/Ring'] }
  const open = async (): Promise<Scene> => {
    rung.length = 0
    const scene = await Scene.open({ operations: [ring], flows: [Ring], settings })
    await scene.people('A')
    return scene
  }
  const body = (scene: Scene, bell: string, hours = 0) =>
    transactionBody({ kind: 'bells/Ring', input: { bell, account: scene.id('A'), hours } })

  it('is called once its signatures are there, and its end is a record of its own', async () => {
    const scene = await open()
    const id = await scene.created(body(scene, 'great'), { signs: ['D'] })
    expect(rung).to.deep.equal([])
    const { execution } = await scene.sign(id, ['A'])
    await scene.virtual.runUntilQuiet()
    expect(rung).to.deep.equal(['great'])
    const { history } = await scene.network.history(id)
    expect(history?.called).to.deep.include({
      receipt: { status: 'SUCCESS' },
      parentConsensusTimestamp: execution?.consensusTimestamp,
      scheduleRef: id,
    })
    expect(await scene.count('Call')).to.equal(0)
  })

  it('may take its time, outlives a crash, and holds up nobody', async () => {
    const scene = await open()
    const id = await scene.created(body(scene, 'slow', 24), { signs: ['D', 'A'] })
    expect((await scene.network.history(id)).history).to.deep.include({ called: null })
    await scene.downFor(3_600)
    expect(await statusOf(scene.create(body(scene, 'quick'), { signs: ['D', 'A'] }))).to.equal('SUCCESS')
    await scene.pass(24 * 3_600)
    expect(rung).to.deep.equal(['quick', 'slow'])
    expect((await scene.network.history(id)).history?.called?.receipt.status).to.equal('SUCCESS')
  })

  it('that fails is recorded as failed, with what it said, and not called again', async () => {
    const scene = await open()
    const id = await scene.created(body(scene, 'cracked'), { signs: ['D', 'A'] })
    await scene.downFor(10)
    const { history } = await scene.network.history(id)
    expect(history?.end?.result).to.equal('SUCCESS')
    expect(history?.called).to.deep.include({
      receipt: { status: 'CALLED_FLOW_FAILED' },
      error: 'The bell is cracked.',
    })
  })

  it('that refuses is recorded as failed, too, and no error is too long to be recorded', async () => {
    const scene = await open()
    const calledBy = async (bell: string) => {
      const id = await scene.created(body(scene, bell), { signs: ['D', 'A'] })
      await scene.virtual.runUntilQuiet()
      return (await scene.network.history(id)).history?.called
    }
    expect(await calledBy('silent')).to.deep.include({
      receipt: { status: 'CALLED_FLOW_FAILED' },
      error: '{"reason":"it is night"}',
    })
    expect(await calledBy('huge')).to.deep.include({
      receipt: { status: 'CALLED_FLOW_FAILED' },
      error: 'x'.repeat(300),
    })
    expect(await scene.count('Call')).to.equal(0)
  })

  it('is refused with an input it does not take, and cannot be submitted unscheduled', async () => {
    const scene = await open()
    const wrong = transactionBody({ kind: 'bells/Ring', input: { bell: 1 } })
    expect(await statusOf(scene.create(wrong))).to.equal('UNPARSEABLE_SCHEDULED_TRANSACTION')
    const operation = { kind: 'bells/Ring', input: { bell: 'x', account: scene.id('A'), hours: 0 } }
    expect(await statusOf(scene.submit(operation, { with: ['A'] }))).to.equal('NOT_SUPPORTED')
  })
})
