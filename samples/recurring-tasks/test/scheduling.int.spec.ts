import { expect } from 'chai'
import { root, signed, unsigned } from '../model/Origin.js'
import { taskIdOf } from '../model/Task.js'
import { expectNothingStored, idOf, mock, notify, refusalOf, S, Scene, start, T } from './Scene.js'

const horizon = mock.horizonSeconds

describe('scheduling a task', () => {
  it('[OAK-001] refuses a time that is not one of the predefined slots, and stores nothing', async () => {
    const scene = await Scene.open()
    expect(await refusalOf(scene.schedule('a', [T + 1]))).to.equal('InvalidTime')
    await expectNothingStored(scene, [T, T + 1])
  })

  it('[OAK-002] refuses a recurring start or frequency off the grid', async () => {
    const scene = await Scene.open()
    expect(await refusalOf(scene.recurring('a', T + 10, 10))).to.equal('InvalidTime')
    expect(await refusalOf(scene.recurring('a', T + S, 100))).to.equal('InvalidTime')
    expect(await refusalOf(scene.recurring('a', T + 10, S))).to.equal('InvalidTime')
  })

  it('[OAK-003] refuses a time that has passed, or is the present slot', async () => {
    const scene = await Scene.open()
    await scene.to(start + 3 * S)
    expect(await refusalOf(scene.schedule('a', [T]))).to.equal('PastTime')
    expect(await refusalOf(scene.schedule('a', [T - S]))).to.equal('PastTime')
  })

  it('[OAK-004] refuses a recurring start that has passed', async () => {
    const scene = await Scene.open()
    await scene.to(start + 3 * S)
    expect(await refusalOf(scene.recurring('a', T - S, S))).to.equal('PastTime')
    expect(await refusalOf(scene.recurring('a', T, S))).to.equal('PastTime')
  })

  it('[OAK-006] refuses a list with one time beyond the horizon, and stores nothing', async () => {
    const scene = await Scene.open()
    expect(await refusalOf(scene.schedule('a', [T, T + horizon]))).to.equal('TimeTooFarOut')
    await expectNothingStored(scene, [T, T + horizon])
  })

  it('[OAK-007] refuses a recurring start beyond the horizon', async () => {
    const scene = await Scene.open()
    expect(await refusalOf(scene.recurring('a', T + horizon, S))).to.equal('TimeTooFarOut')
  })

  it('[OAK-008] refuses a frequency that leads beyond the horizon', async () => {
    const scene = await Scene.open()
    expect(await refusalOf(scene.recurring('a', T, 7 * horizon))).to.equal('TimeTooFarOut')
  })

  it('[OAK-009] refuses an account without funds', async () => {
    const scene = await Scene.open()
    expect(await refusalOf(scene.schedule('a', [T], { as: 'pauper' }))).to.equal('InsufficientBalance')
    expect(await scene.tasks.slot(T)).to.equal(undefined)
  })

  it('[OAK-011] refuses an empty provided id', async () => {
    const scene = await Scene.open()
    expect(await refusalOf(scene.schedule('', [T]))).to.equal('EmptyProvidedId')
  })

  it('[OAK-012] stores the task in the task map, its id in the slot, and tells so', async () => {
    const scene = await Scene.open()
    const id = await scene.scheduled('a', [T])
    expect(id).to.equal(taskIdOf('alice', 'a'))
    expect(await scene.tasks.task(id)).to.deep.include({ owner: 'alice', providedId: 'a', action: notify() })
    expect(await scene.tasks.slot(T)).to.deep.include({ at: T, tasks: [id] })
    expect(await scene.events()).to.deep.equal([{ event: 'TaskScheduled', who: 'alice', id }])
  })

  it('[OAK-013] refuses a transfer below the smallest amount', async () => {
    const scene = await Scene.open()
    const transfer = scene.tasks.scheduleNativeTransferTask(signed('alice'), 'a', [T], 'bob', 0)
    expect(await refusalOf(transfer)).to.equal('InvalidAmount')
  })

  it('[OAK-014] refuses a transfer to oneself', async () => {
    const scene = await Scene.open()
    const transfer = scene.tasks.scheduleNativeTransferTask(signed('alice'), 'a', [T], 'alice', 5)
    expect(await refusalOf(transfer)).to.equal('TransferToSelf')
  })

  it('[OAK-016] [OAK-022] refuses a provided id the caller has used already', async () => {
    const scene = await Scene.open()
    await scene.scheduled('50', [T], { action: notify('A') })
    expect(await refusalOf(scene.schedule('50', [T + S], { action: notify('B') }))).to.equal('DuplicateTask')
    expect((await scene.tasks.task(taskIdOf('alice', '50')))?.action).to.deep.equal(notify('A'))
  })

  it('[OAK-017] lets two callers use the same provided id', async () => {
    const scene = await Scene.open()
    const alices = await scene.scheduled('50', [T])
    const bobs = await scene.scheduled('50', [T], { as: 'bob' })
    expect((await scene.tasks.slot(T))?.tasks).to.deep.equal([alices, bobs])
    expect(alices).to.not.equal(bobs)
  })

  it('[OAK-018] refuses more distinct times than a task may have', async () => {
    const scene = await Scene.open()
    const times = [T, T + S, T + 2 * S, T + 3 * S]
    expect(await refusalOf(scene.schedule('a', times))).to.equal('TooManyExecutionsTimes')
  })

  it('[OAK-019] sorts the times and removes duplicates before it counts them', async () => {
    const scene = await Scene.open()
    const scheduled = await scene.schedule('a', [T + 3 * S, T, T, T, T])
    expect(scheduled).to.include({ ok: true, given: 5, booked: 2 })
    expect((await scene.tasks.task(idOf(scheduled)))?.schedule).to.deep.equal({
      kind: 'fixed',
      times: [T, T + 3 * S],
      executionsLeft: 2,
    })
  })

  it('[OAK-021] books all slots or none', async () => {
    const scene = await Scene.open()
    const full = [await scene.scheduled('a', [T + 2 * S]), await scene.scheduled('b', [T + 2 * S])]
    expect(await refusalOf(scene.schedule('c', [T, T + S, T + 2 * S]))).to.equal('TimeSlotFull')
    expect(await scene.tasks.slot(T)).to.equal(undefined)
    expect(await scene.tasks.slot(T + S)).to.equal(undefined)
    expect((await scene.tasks.slot(T + 2 * S))?.tasks).to.deep.equal(full)
    expect(await scene.tasks.task(taskIdOf('alice', 'c'))).to.equal(undefined)
  })

  it('refuses an unsigned request as NotSigned, and one of root, who has no account', async () => {
    const scene = await Scene.open()
    expect(await refusalOf(scene.schedule('a', [T], { origin: unsigned }))).to.equal('NotSigned')
    expect(await refusalOf(scene.schedule('a', [T], { origin: root }))).to.equal('NotSigned')
  })

  it('refuses an empty message as EmptyMessage', async () => {
    const scene = await Scene.open()
    expect(await refusalOf(scene.schedule('a', [T], { action: notify('') }))).to.equal('EmptyMessage')
  })

  it('refuses a slot that is kept open, and one that has no weight left', async () => {
    const reserved = await Scene.open({ settings: { ...mock, reservedEvery: T / S } })
    expect(await refusalOf(reserved.schedule('a', [T]))).to.equal('TimeSlotFull')
    const heavy = await Scene.open({ settings: { ...mock, weightPerSlot: 1_500 } })
    await heavy.scheduled('a', [T])
    expect(await refusalOf(heavy.schedule('b', [T]))).to.equal('TimeSlotFull')
  })

  it('[OAK-151] accepts the very end of the horizon and refuses one slot more', async () => {
    const scene = await Scene.open()
    expect(await refusalOf(scene.schedule('a', [start + horizon]))).to.equal('accepted')
    expect(await refusalOf(scene.schedule('b', [start + horizon + S]))).to.equal('TimeTooFarOut')
  })

  it('[OAK-152] wants a whole interval ahead by default, or only the next slot when told so', async () => {
    const interval = await Scene.open()
    await interval.to(T - 1)
    expect(await refusalOf(interval.schedule('a', [T]))).to.equal('PastTime')
    const nextSlot = await Scene.open({ settings: { ...mock, lead: 'next-slot' } })
    await nextSlot.to(T - 1)
    expect(await refusalOf(nextSlot.schedule('a', [T]))).to.equal('accepted')
  })

  it('lists tasks by owner, status and due time, and names the next free slots', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T])
    await scene.scheduled('b', [T + S], { as: 'bob' })
    await scene.scheduled('c', [T])
    const names = async (query: Parameters<Scene['tasks']['tasks']>[0]): Promise<readonly string[]> => {
      const found: string[] = []
      for await (const task of scene.tasks.tasks(query)) found.push(task.providedId)
      return found
    }
    expect(await names({ owner: 'alice' })).to.deep.equal(['a', 'c'])
    expect(await names({ dueBefore: T + S })).to.deep.equal(['a', 'c'])
    expect(await names({ status: 'scheduled' })).to.deep.equal(['a', 'b', 'c'])
    expect(await names({ status: 'missed' })).to.deep.equal([])
    expect(await scene.tasks.nextFreeSlots(3, scene.now)).to.deep.equal([T - S, T + S, T + 2 * S])
  })
})

describe('fees', () => {
  it('[OAK-056] without enough money for the fee nothing is done', async () => {
    const scene = await Scene.open()
    await scene.tasks.endow('carol', 3 * 12_000 - 1)
    const times = [T, T + S, T + 2 * S]
    expect(await refusalOf(scene.schedule('a', times, { as: 'carol' }))).to.equal('InsufficientBalance')
    expect(await scene.tasks.balance('carol')).to.equal(3 * 12_000 - 1)
    expect(await scene.tasks.slot(T)).to.equal(undefined)
  })

  it('[OAK-057] a request that is refused costs nothing', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T])
    await scene.scheduled('b', [T])
    const before = await scene.tasks.balance('alice')
    expect(await refusalOf(scene.schedule('c', [T]))).to.equal('TimeSlotFull')
    expect(await refusalOf(scene.schedule('a', [T + S]))).to.equal('DuplicateTask')
    expect(await scene.tasks.balance('alice')).to.equal(before)
  })

  it('[OAK-058] are weight times executions times twelve, all paid in advance to the treasury', async () => {
    const scene = await Scene.open()
    const fees = async (providedId: string, action: Parameters<Scene['schedule']>[2]): Promise<number> => {
      const outcome = await scene.schedule(providedId, [T, T + S], action)
      return outcome.ok ? outcome.fee : -1
    }
    expect(await fees('a', {})).to.equal(1_000 * 2 * 12)
    expect(await fees('b', { action: { kind: 'transfer', to: 'bob', amount: 1 } })).to.equal(2_000 * 2 * 12)
    await scene.to(start + 1)
    const call = await scene.schedule('c', [T + 2 * S], { action: { kind: 'call', flow: 'x', input: {} } })
    expect(call).to.include({ fee: 3_000 * 12 })
    expect(await scene.tasks.balance('treasury')).to.equal(24_000 + 48_000 + 36_000)
    expect(await scene.tasks.balance('alice')).to.equal(1_000_000 - 108_000)
  })
})
