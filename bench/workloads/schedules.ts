/**
 * The schedule service of the samples, under load: what a real app with signatures, contracts and records costs.
 */
import { startNode, type Instant } from 'carillon'
import { generateKeyPair } from 'carillon/keys'
import { scheduledTransactions } from '../../samples/scheduled-transactions/app.js'
import { ScheduleNetwork } from '../../samples/scheduled-transactions/client/ScheduleNetwork.js'
import { signIdentity, usualSpan, Wallet } from '../../samples/scheduled-transactions/client/Wallet.js'
import { keyList } from '../../samples/scheduled-transactions/model/KeyTree.js'
import { plain } from '../../samples/shared/plain.js'
import { transactionBody } from '../../samples/scheduled-transactions/model/ScheduledBody.js'
import { defaultSettings, treasury } from '../../samples/scheduled-transactions/model/Settings.js'
import { timestampOf } from '../../samples/scheduled-transactions/model/ids.js'
import { HeldClock } from '../HeldClock.js'
import { fullDurability, more, type Workload } from '../Workload.js'

const inFlight = 500

/** Does all the work, so much of it at a time; gives how many were done a second. */
const paceOf = async <A>(work: readonly A[], one: (work: A) => Promise<void>): Promise<number> => {
  let next = 0
  const caller = async (): Promise<void> => {
    for (let mine = work[next++]; mine !== undefined; mine = work[next++]) await one(mine)
  }
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: Math.min(inFlight, work.length) }, caller))
  return (work.length / (performance.now() - startedMs)) * 1_000
}

const must = <A extends { readonly status: string }>(response: A): A => {
  if (response.status !== 'SUCCESS') throw new Error(`A transaction was refused: ${response.status}`)
  return response
}

export const schedules: Workload = {
  name: 'schedules',
  measures: `Scheduled transactions of the sample, one client call each, ${inFlight} in flight, until each call has its durable answer: creates without a signature, signs with one of two signatures, and executions, which are the signs that bring the second.`,
  doesNotMeasure:
    'Making the signatures, which is the clients’ work; a network between client and node; large key trees; expiry.',
  durability: fullDurability,
  seed: 'none: the same work every time; keys, salts and ids are random',
  repetitions: 3,
  run: async ({ quick, folder }) => {
    const count = quick ? 20 : 3_000
    const clock = new HeldClock()
    const app = scheduledTransactions()
    const node = await startNode({ app: app.app, store: folder, clock })
    const [root, first, second] = [generateKeyPair(), generateKeyPair(), generateKeyPair()]
    const settings = { ...defaultSettings, buckets: {} }
    const network = await ScheduleNetwork.open(node, app, { key: root.publicKey, settings })
    const at: Instant = clock.after(0)
    let nanos = 0
    const bank = new Wallet(network.ledgerID, treasury, [root], () => nanos++)
    const transaction = <O>(operation: O) => bank.transaction(operation, timestampOf(at))
    const key = keyList(first.publicKey, second.publicKey)
    const account = plain({ kind: 'cryptoCreateAccount', key, initialBalance: 1_000_000 })
    const payer = must(await network.submit(transaction(account))).receipt?.accountID ?? ''

    const transfers = [
      { accountID: payer, amount: -1 },
      { accountID: treasury, amount: 1 },
    ]
    const bodies = Array.from({ length: count }, (_, nonce) =>
      transactionBody({ kind: 'cryptoTransfer', transfers }, { nonce }),
    )
    const created = new Map<string, string>()
    const creates = await paceOf(
      bodies.map((body) => transaction({ kind: 'scheduleCreate', transactionBody: body, payer } as const)),
      async (signed) => {
        const { receipt } = must(await network.create(signed))
        created.set(signed.body.operation.transactionBody, receipt?.schedule ?? '')
      },
    )
    const signsWith = (pair: typeof first) =>
      bodies.map((body) => {
        const sigMap = [
          signIdentity(
            network.ledgerID,
            pair,
            { transactionBody: body, payer, adminKey: null, memo: '' },
            usualSpan(timestampOf(at)),
          ),
        ]
        return transaction({ kind: 'scheduleSign', scheduleID: created.get(body) ?? '', sigMap } as const)
      })
    const signs = await paceOf(signsWith(first), async (signed) => {
      must(await network.sign(signed))
    })
    let executed = 0
    const executions = await paceOf(signsWith(second), async (signed) => {
      if (must(await network.sign(signed)).execution?.receipt.status === 'SUCCESS') executed += 1
    })
    if (executed !== count) throw new Error(`${executed} of ${count} schedules were executed.`)
    await node.stop()
    return {
      creates: more(creates, 'creates/s'),
      signs: more(signs, 'signs/s'),
      executions: more(executions, 'executions/s'),
    }
  },
}
