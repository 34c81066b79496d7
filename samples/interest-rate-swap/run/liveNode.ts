/**
 * One node of a live run, in a process of its own: its log on disk, its conversations over TLS, its clock set from
 * outside. Everything else is as it would be without the clock.
 */
import { join } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import { instantFromMillis, startNode, type App, type Json, type Node } from 'carillon'
import { VirtualClock } from 'carillon/testing'
import { bankApp, notaryApp, observerApp } from '../app.js'
import { Offer } from '../flows/offer.js'
import { paymentsInFolder } from '../flows/PaymentSystem.js'
import { Announce, oracleApp } from '../oracle/app.js'
import { Swap } from '../swap/Swap.js'
import { exampleRates } from '../trades.js'
import { latestSwap } from './virtualRun.js'
import { NodeSettingsC, OrderC, type NodeSettings, type Order, type Report } from './liveProtocol.js'

const appOf = ({ role, payments }: NodeSettings): App => {
  switch (role) {
    case 'bank':
      return bankApp({ payments: paymentsInFolder(payments) })
    case 'oracle':
      return oracleApp
    case 'regulator':
      return observerApp
    case 'notary':
      return notaryApp
  }
}

const settings = NodeSettingsC.decode(JSON.parse(process.argv[2] ?? 'null'))
if (isLeft(settings)) throw new Error('A node of a live run is started by the run: npm run sample:swap -- --live')
const { folder, startMs } = settings.right

const clock = new VirtualClock(instantFromMillis(startMs))
const node: Node = await startNode({
  app: appOf(settings.right),
  networkFolder: folder,
  store: join(folder, 'store'),
  clock,
})

const report = async (withSwap: boolean): Promise<Report> => {
  const standing = withSwap ? await latestSwap(node) : undefined
  return {
    revision: node.head.revision,
    nextMs: clock.nextWakeMs() ?? null,
    swap: standing === undefined ? null : (Swap.data.encode(standing.swap) as Json),
    isOver: standing?.isOver ?? false,
  }
}

const obey = async (order: Order): Promise<Report> => {
  switch (order.type) {
    case 'time':
      clock.setTo(order.ms)
      await new Promise((resolve) => setImmediate(resolve))
      await node.idle()
      return report(false)
    case 'announce':
      await node.run(Announce, { fixes: exampleRates })
      return report(false)
    case 'offer':
      await node.startByName(Offer.name, { terms: order.terms })
      return report(false)
    case 'look':
      return report(true)
    case 'stop':
      await node.stop()
      return { revision: node.head.revision, nextMs: null, swap: null, isOver: false }
  }
}

const answer = async (message: unknown): Promise<void> => {
  const order = OrderC.decode(message)
  if (isLeft(order)) throw new Error(`The run gave an order that makes no sense: ${JSON.stringify(message)}`)
  const reported = await obey(order.right)
  process.send?.(reported, undefined, undefined, () => {
    if (order.right.type === 'stop') process.exit(0)
  })
}

process.on('message', (message) => {
  answer(message).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
})
// Whoever started this process is gone, and so is the clock.
process.on('disconnect', () => process.exit(1))
process.send?.(await report(false))
