/**
 * A day of the registry in a few seconds: three people schedule tasks, the node is down for three hours at noon, and
 * in the evening the log is asked for an account of everything.
 */
import { VirtualNode } from 'carillon/testing'
import { accountOf, readEvents } from './events.js'
import { recurringTasks } from './app.js'
import { root, signed } from './model/Origin.js'
import { instantOf } from './model/slots.js'
import { TaskRegistry } from './TaskRegistry.js'

const hour = 3_600
const midnight = Date.parse('2026-03-03T00:00:00Z') / 1_000
const clock = (time: number): string => instantOf(time).slice(11, 16)
const hours = (from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => midnight + (from + index) * hour)

export const showDay = async (say: (line: string) => void): Promise<void> => {
  const virtual = await VirtualNode.start({ app: recurringTasks(), start: instantOf(midnight) })
  let registry = await TaskRegistry.open(virtual.node)
  for (const account of ['ada', 'ben', 'cleo']) await registry.endow(account, 500_000, root)

  say('00:00  Ada schedules 23 hourly notifications, Ben six payments of 9,000 to Ada, Cleo more than she can pay.')
  await registry.scheduleNotifyTask(signed('ada'), 'bell', hours(1, 23), 'the hour has struck')
  await registry.scheduleNativeTransferTask(signed('ben'), 'rent', hours(8, 6), 'ada', 9_000)
  await registry.scheduleNativeTransferTask(signed('cleo'), 'dream', hours(9, 2), 'ben', 9_000_000)
  const late = await registry.scheduleNotifyTask(signed('cleo'), 'too soon', hours(0, 1), 'now!')
  say(`00:00  Cleo asks for this very slot: ${late.ok ? 'accepted' : `${late.error}. ${late.why}`}`)

  await virtual.advanceTo(instantOf(midnight + 12 * hour - 60))
  say('11:59  The node goes down.')
  await virtual.crash()
  virtual.clock.setTo((midnight + 15 * hour + 120) * 1_000)
  registry = await TaskRegistry.open(await virtual.restart())
  await virtual.runUntilQuiet()
  say('15:02  The node is up again. What was due meanwhile is reported, never run late:')
  for await (const { event, who, at } of readEvents(virtual.node))
    if (event === 'TaskMissed') say(`         missed: ${who ?? '?'}, due ${clock(at ?? 0)}`)

  await virtual.advanceTo(instantOf(midnight + 24 * hour))
  const account = await accountOf(readEvents(virtual.node))
  say('24:00  The account of the day, from the log:')
  say(`         executed ${account.executed}, failed ${account.failed}, missed ${account.missed}`)
  const twice = account.doubled.length === 0 ? 'none of them' : account.doubled.join(', ')
  say(`         all together ${account.ended.size} of 31 executions, ${twice} twice`)
  for (const name of ['ada', 'ben', 'cleo', 'treasury']) say(`         ${name} has ${await registry.balance(name)}`)
  await virtual.stop()
}
