import { expect } from 'chai'
import { instant } from 'carillon'
import type { Block } from 'carillon/http'
import { VirtualNode } from 'carillon/testing'
import { recurringTasks } from '../app.js'
import { root, signed } from '../model/Origin.js'
import { unixTime } from '../model/slots.js'
import { tasksPanel } from '../panel.js'
import { TaskRegistry } from '../TaskRegistry.js'

const midnight = instant('2026-03-03T00:00:00Z')
const hour = (count: number): number => unixTime(midnight) + count * 3_600

const blockOf = async <K extends Block['kind']>(virtual: VirtualNode, kind: K, title?: string) => {
  const found = (await tasksPanel.read(virtual.node)).find(
    (block): block is Extract<Block, { readonly kind: K }> =>
      block.kind === kind && (title === undefined || block.title === title),
  )
  if (found === undefined) throw new Error(`the panel has no ${kind}`)
  return found
}

const act = (virtual: VirtualNode, name: string, input = {}, row?: string): Promise<string | undefined> => {
  const action = tasksPanel.actions.find((each) => each.name === name)
  if (action === undefined) throw new Error(`the panel has no action ${name}`)
  return action.run({ node: virtual.node, row, input, by: 'http:ann@127.0.0.1' })
}

describe('the panel of the tasks', () => {
  const begin = async (): Promise<{ readonly virtual: VirtualNode; readonly registry: TaskRegistry }> => {
    const virtual = await VirtualNode.start({ app: recurringTasks(), start: midnight })
    const registry = await TaskRegistry.open(virtual.node)
    await registry.endow('ada', 1_000_000, root)
    return { virtual, registry }
  }

  it('says so while there is no registry', async () => {
    const virtual = await VirtualNode.start({ app: recurringTasks(), start: midnight })
    expect(await tasksPanel.read(virtual.node)).to.deep.equal([
      { kind: 'table', columns: [], rows: [], empty: 'The registry has not been opened yet.' },
    ])
  })

  it('shows how full the slots are, what waits in the queues, and how each task has gone', async () => {
    const { virtual, registry } = await begin()
    await registry.scheduleNotifyTask(signed('ada'), 'bell', [hour(2), hour(3), hour(5)], 'dong')
    const { bars } = await blockOf(virtual, 'bars')
    expect(bars.slice(0, 6).map(({ label, value }) => `${label} ${value}`)).to.deep.equal([
      '00:00 0',
      '01:00 0',
      '02:00 1',
      '03:00 1',
      '04:00 0',
      '05:00 1',
    ])
    expect((await blockOf(virtual, 'table', 'Queues')).rows).to.deep.equal([])

    await virtual.advanceTo(instant('2026-03-03T02:30:00Z'))
    const [row] = (await blockOf(virtual, 'table', 'Tasks')).rows
    expect(row?.cells).to.deep.include({
      task: 'ada/bell',
      is: { lamp: 'blue', text: 'scheduled' },
      due: { instant: instant('2026-03-03T03:00:00Z') },
      executed: 1,
      missed: 0,
    })
  })

  it('takes a task, stops and starts them all, and cancels one, each recorded with who did it', async () => {
    const { virtual, registry } = await begin()
    expect(await act(virtual, 'schedule', { account: 'ada', id: 'tea', message: 'it is ready' })).to.match(
      /^Booked for 2026-03-03T01:00:00.000Z, for 12000\. Task /,
    )
    const [row] = (await blockOf(virtual, 'table', 'Tasks')).rows
    expect(await act(virtual, 'stop')).to.equal('Tasks are stopped.')
    expect((await registry.registry()).stopped).to.equal(true)
    const refused = await act(virtual, 'stop').catch((error: unknown) => error)
    expect(refused).to.have.property('message').that.contains('ScheduledTasksAlreadyStopped')
    expect(await act(virtual, 'start')).to.equal('Tasks are running.')
    expect(await act(virtual, 'cancel', {}, row?.key)).to.equal('Cancelled, with 1 executions unused.')
    expect((await blockOf(virtual, 'table', 'Tasks')).rows).to.deep.equal([])
    const [last] = (await virtual.node.flows({ limit: 1 })).items
    expect(last?.startedBy).to.deep.equal({ kind: 'client', by: 'http:ann@127.0.0.1' })
  })
})
