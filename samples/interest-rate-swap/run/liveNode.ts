/**
 * One node of a live run, in a process of its own: its log on disk, its conversations over TLS, its clock set from
 * outside. The oracle announces its rates and the first bank offers the trade, once however often their processes are
 * killed. Everything else is as it would be without the clock.
 */
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isLeft } from 'fp-ts/lib/Either.js'
import { instantFromMillis, startNode } from 'carillon'
import { VirtualClock } from 'carillon/testing'
import { Offer } from '../flows/offer.js'
import { paymentsInFolder } from '../flows/PaymentSystem.js'
import { appsFor, names, partiesOf } from '../network.js'
import { Announce } from '../oracle/app.js'
import { exampleRates, exampleTrade } from '../trades.js'
import { NodeSettingsC, TimeC, type Report } from './LiveNetwork.js'
import { latestSwap } from './virtualRun.js'

const settings = NodeSettingsC.decode(JSON.parse(process.argv[2] ?? 'null'))
if (isLeft(settings)) throw new Error('A node of a live run is started by the run: npm run sample:swap -- --live')
const { folder, name, startMs, until } = settings.right

const clock = new VirtualClock(instantFromMillis(startMs))
const node = await startNode({
  app: appsFor({ payments: paymentsInFolder(join(folder, 'payments')) })[name],
  networkFolder: join(folder, name),
  store: join(folder, name, 'store'),
  clock,
})
const party = (wanted: string) => {
  const member = node.network.members.find((each) => each.party.name === wanted)
  if (member === undefined) throw new Error(`There is no ${wanted} here.`)
  return member.party
}
if (name === names.oracle) await node.start(Announce, { fixes: exampleRates }, { clientId: 'rates' })
if (name === names.fixedPayer)
  await node.start(Offer, { terms: exampleTrade(partiesOf({ party }), until) }, { clientId: 'trade' })

const report = async (): Promise<Report> => ({
  revision: node.head.revision,
  nextMs: clock.nextWakeMs() ?? null,
  standing: (await latestSwap(node)) ?? null,
})

const goOn = async (message: unknown): Promise<void> => {
  const time = TimeC.decode(message)
  if (isLeft(time)) throw new Error(`The run told a time that makes no sense: ${JSON.stringify(message)}`)
  clock.setTo(time.right)
  await setImmediate()
  await node.idle()
  process.send?.(await report())
}

const endWith = (error: unknown): void => {
  console.error(error)
  process.exit(1)
}
process.on('message', (message) => void goOn(message).catch(endWith))
process.once('SIGTERM', () => void node.stop().then(() => process.exit(0), endWith))
// Whoever started this process is gone, and so is the clock.
process.on('disconnect', () => process.exit(1))
process.send?.(await report())
