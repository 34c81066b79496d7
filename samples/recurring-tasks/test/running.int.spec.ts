import { expect } from 'chai'
import { root, signed } from '../model/Origin.js'
import { taskIdOf } from '../model/Task.js'
import { budgetFor, mock, S, Scene, start, T } from './Scene.js'

const id = (name: string): string => taskIdOf('alice', name)

/** The queues and the last slots, in short. */
const books = async ({ tasks }: Scene) => {
  const { lastTimeSlot, lastMissedSlot } = await tasks.sweeper()
  return {
    queue: (await tasks.taskQueue())?.tasks ?? [],
    missed: (await tasks.missedQueue()).flatMap(({ at, tasks: missed }) => missed.map((each) => [each, (at - T) / S])),
    lastSlots: [(lastTimeSlot - T) / S, (lastMissedSlot - T) / S],
  }
}

/** Nothing runs until the tasks are started again, so a history can be laid out first. */
const stopped = async (scene: Scene, lay: () => Promise<void>): Promise<void> => {
  await scene.tasks.stop(root)
  await lay()
}

describe('running tasks', () => {
  it('[OAK-091] does nothing and tells nothing while nothing is due', async () => {
    const scene = await Scene.open()
    await scene.to(T)
    expect(await scene.events()).to.deep.equal([])
    expect(await books(scene)).to.deep.include({ queue: [], missed: [] })
  })

  it('[OAK-092] moves leftovers to the missed queue and the present slot to the task queue', async () => {
    const scene = await Scene.open({ settings: budgetFor(0) })
    await scene.scheduled('a', [T - S])
    await scene.scheduled('b', [T])
    await scene.to(T - S)
    expect(await books(scene)).to.deep.include({ queue: [id('a')], missed: [] })
    await scene.to(T)
    expect(await books(scene)).to.deep.include({ queue: [id('b')], missed: [[id('a'), -1]] })
    expect(await scene.tasks.slot(T)).to.equal(undefined)
    expect(await scene.told()).to.deep.equal([])
  })

  it('[OAK-093] runs what is due now before it reports what was missed', async () => {
    const scene = await Scene.open({ settings: budgetFor(0) })
    const from = T + 2 * S
    await scene.scheduled('a', [from - 2 * S])
    await scene.scheduled('b', [from - S])
    await scene.scheduled('c', [from])
    await scene.scheduled('d', [from])
    await scene.to(from - 2 * S)
    await stopped(scene, () => scene.to(from))
    await scene.tasks.reconfigure(budgetFor(1))
    await scene.tasks.start(root)
    await scene.virtual.runUntilQuiet()
    expect(await books(scene)).to.deep.include({
      queue: [id('d')],
      missed: [
        [id('a'), 0],
        [id('b'), 1],
      ],
    })
    expect(await scene.told('ScheduledTasksStopped', 'ScheduledTasksResumed')).to.deep.equal([
      'TaskTriggered c 2',
      'Notify c 2',
      'TaskExecuted c 2',
      'TaskCompleted c',
    ])
  })

  it('[OAK-094] catches up within its budget, oldest first, and goes on in the next sweep', async () => {
    const scene = await Scene.open({ settings: budgetFor(0) })
    const t = T + 6 * S
    await scene.scheduled('l', [t - 7 * S])
    for (const [name, before] of Object.entries({ a: 5, b: 4, c: 3, d: 2, e: 1, f: 0 }))
      await scene.scheduled(name, [t - before * S])
    await scene.to(t - 7 * S)
    await stopped(scene, () => scene.to(t))
    await scene.tasks.reconfigure(budgetFor(6, 6))
    await scene.tasks.start(root)
    await scene.virtual.runUntilQuiet()
    const quiet = ['ScheduledTasksStopped', 'ScheduledTasksResumed', 'TaskCompleted'] as const
    const first = [
      ...['TaskTriggered f 6', 'Notify f 6', 'TaskExecuted f 6', 'TaskMissed l -1'],
      ...['TaskMissed a 1', 'TaskMissed b 2', 'TaskMissed c 3', 'TaskMissed d 4'],
    ]
    expect(await scene.told(...quiet)).to.deep.equal(first)
    expect((await books(scene)).lastSlots).to.deep.equal([6, 4])
    expect((await scene.tasks.slot(t - S))?.tasks).to.deep.equal([id('e')])
    await scene.to(t + mock.sweepSeconds)
    expect(await scene.told(...quiet)).to.deep.equal([...first, 'TaskMissed e 5'])
    expect(await books(scene)).to.deep.equal({ queue: [], missed: [], lastSlots: [6, 5] })
  })

  it('[OAK-097] stops when the next task does not fit, and goes on in the next sweep', async () => {
    const scene = await Scene.open({ settings: budgetFor(1) })
    await scene.scheduled('a', [T])
    await scene.scheduled('b', [T])
    await scene.to(T)
    expect(await books(scene)).to.deep.include({ queue: [id('b')] })
    await scene.to(T + mock.sweepSeconds)
    expect(await books(scene)).to.deep.include({ queue: [] })
    expect(await scene.told('TaskTriggered', 'Notify', 'TaskCompleted')).to.deep.equal([
      'TaskExecuted a 0',
      'TaskExecuted b 0',
    ])
  })

  it('keeps to its weight: a transfer that does not fit waits, although a notification would', async () => {
    const scene = await Scene.open({
      settings: { ...mock, sweepWeight: 25_000, updatePercent: 20, weightPerSlot: 100_000 },
    })
    await scene.scheduled('a', [T])
    await scene.scheduled('b', [T], { action: { kind: 'transfer', to: 'bob', amount: 1 } })
    await scene.to(T)
    expect(await books(scene)).to.deep.include({ queue: [id('b')] })
    await scene.to(T + mock.sweepSeconds)
    expect(await books(scene)).to.deep.include({ queue: [] })
  })

  it('[OAK-098] reports all missed tasks while the budget lasts, and they are gone', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T])
    await scene.scheduled('b', [T])
    await scene.to(start + 1)
    await scene.downUntil(T + S)
    expect(await scene.told()).to.deep.equal(['TaskMissed a 0', 'TaskCompleted a', 'TaskMissed b 0', 'TaskCompleted b'])
    expect(await scene.tasks.task(id('a'))).to.equal(undefined)
    expect(await scene.tasks.task(id('b'))).to.equal(undefined)
  })

  it('[OAK-099] a missed execution counts as one, and the others still come', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T, T + 3 * S])
    await scene.downUntil(T + S)
    expect(await scene.told()).to.deep.equal(['TaskMissed a 0'])
    expect(await scene.tasks.task(id('a'))).to.deep.include({ counts: { executed: 0, failed: 0, missed: 1 } })
    expect((await scene.tasks.task(id('a')))?.schedule).to.include({ executionsLeft: 1 })
  })

  it('[OAK-101] after one of two executions one is left, and the task is not complete', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T, T + S])
    await scene.to(T)
    expect((await scene.tasks.task(id('a')))?.schedule).to.include({ executionsLeft: 1 })
    expect(await scene.told('TaskTriggered', 'Notify')).to.deep.equal(['TaskExecuted a 0'])
  })

  it('[OAK-102] after its last execution the task is removed and complete', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T])
    await scene.to(T)
    expect(await scene.tasks.task(id('a'))).to.equal(undefined)
    expect(await scene.told('TaskTriggered', 'Notify')).to.deep.equal(['TaskExecuted a 0', 'TaskCompleted a'])
  })

  it('[OAK-103] moves money; when it cannot, the transfer has failed and the execution is still consumed', async () => {
    const scene = await Scene.open()
    await scene.tasks.endow('carol', 24_000 * 2 + 70)
    await scene.tasks.scheduleNativeTransferTask(signed('carol'), 'a', [T, T + S], 'bob', 50)
    await scene.to(T + S)
    expect(await scene.tasks.balance('bob')).to.equal(1_000_050)
    expect(await scene.tasks.balance('carol')).to.equal(20)
    expect(
      (await scene.events()).map(({ event, error }) => (error === undefined ? event : `${event} ${error}`)),
    ).to.deep.equal([
      'TaskScheduled',
      ...['TaskTriggered', 'SuccessfullyTransferredFunds', 'TaskExecuted'],
      ...['TaskTriggered', 'TransferFailed InsufficientBalance', 'TaskExecutionFailed InsufficientBalance'],
      'TaskCompleted',
    ])
  })

  it('[OAK-106] is complete only after the second of two', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T, T + S])
    await scene.to(T + S - 1)
    expect(await scene.told()).to.not.include('TaskCompleted a')
    await scene.to(T + S)
    expect((await scene.told()).at(-1)).to.equal('TaskCompleted a')
  })

  it('[OAK-107] is never complete when it was cancelled after the first', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T, T + S])
    await scene.to(T)
    await scene.tasks.cancel(signed('alice'), id('a'))
    await scene.to(T + 3 * S)
    expect(await scene.told('TaskTriggered', 'Notify')).to.deep.equal(['TaskExecuted a 0', 'TaskCancelled a'])
  })

  it('[OAK-108] tells a failed last execution before it tells completion', async () => {
    const scene = await Scene.open()
    await scene.scheduled('a', [T], { action: { kind: 'transfer', to: 'bob', amount: 5_000_000 } })
    await scene.to(T)
    expect(await scene.told('TaskTriggered', 'TransferFailed')).to.deep.equal([
      'TaskExecutionFailed a 0 InsufficientBalance',
      'TaskCompleted a',
    ])
  })

  it('[OAK-118] runs two of three in one sweep, and misses the third when the slot changes before the next', async () => {
    const scene = await Scene.open({ settings: { ...budgetFor(2), tasksPerSlot: 3 } })
    for (const name of ['a', 'b', 'c']) await scene.scheduled(name, [T])
    await scene.to(T)
    expect(await books(scene)).to.deep.include({ queue: [id('c')], missed: [] })
    await scene.downUntil(T + S)
    expect(await scene.told('TaskTriggered', 'Notify')).to.deep.equal([
      ...['TaskExecuted a 0', 'TaskCompleted a', 'TaskExecuted b 0', 'TaskCompleted b'],
      ...['TaskMissed c 0', 'TaskCompleted c'],
    ])
    expect(await books(scene)).to.deep.include({ queue: [], missed: [] })
  })

  it('[OAK-119] works through five in the sweeps of the slot, and misses what is left at its end', async () => {
    const settings = { ...budgetFor(2), tasksPerSlot: 5, sweepSeconds: 10 }
    const scene = await Scene.open({ settings })
    for (const name of ['a', 'b', 'c', 'd', 'e']) await scene.scheduled(name, [T])
    await scene.to(T)
    expect((await books(scene)).queue).to.have.length(3)
    await scene.to(T + 10)
    expect((await books(scene)).queue).to.deep.equal([id('e')])
    await scene.downUntil(T + S)
    expect((await scene.told('TaskTriggered', 'Notify', 'TaskCompleted')).at(-1)).to.equal('TaskMissed e 0')
    expect(await books(scene)).to.deep.include({ queue: [], missed: [] })
  })

  it('[OAK-153] runs 24 hourly times and is gone; 25 are too many', async () => {
    const settings = { ...mock, slotSeconds: 3_600, executionsPerTask: 24, horizonSeconds: 2 * 86_400 }
    const scene = await Scene.open({ settings })
    const hours = Array.from({ length: 25 }, (_, hour) => start + (hour + 1) * 3_600)
    const refused = await scene.schedule('b', hours)
    expect(refused).to.include({ ok: false, error: 'TooManyExecutionsTimes' })
    await scene.scheduled('a', hours.slice(0, 24))
    await scene.to(start + 24 * 3_600)
    const told = await scene.told('TaskTriggered', 'Notify')
    expect(told.filter((line) => line.startsWith('TaskExecuted'))).to.have.length(24)
    expect(told.at(-1)).to.equal('TaskCompleted a')
    expect(await scene.tasks.task(id('a'))).to.equal(undefined)
  })

  it('[OAK-157] finishes a sweep of n passed slots in ⌈n/m⌉ sweeps, and loses and doubles nobody', async () => {
    const scene = await Scene.open({ settings: budgetFor(100, 3) })
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    for (const [index, name] of names.entries()) await scene.scheduled(name, [T + index * S])
    await scene.to(T - S)
    // The slots T to T+6S, and one more that is empty, pass before T+8S.
    await scene.downUntil(T + 8 * S)
    const progress = async (): Promise<number> => ((await scene.tasks.sweeper()).lastMissedSlot - T) / S
    expect(await progress()).to.equal(1)
    await scene.to(T + 8 * S + mock.sweepSeconds)
    expect(await progress()).to.equal(4)
    await scene.to(T + 8 * S + 2 * mock.sweepSeconds)
    expect(await progress()).to.equal(7)
    expect((await scene.tasks.sweeper()).nextSweepAt).to.equal(null)
    expect(await scene.told('TaskCompleted')).to.deep.equal(names.map((name, index) => `TaskMissed ${name} ${index}`))
  })
})

describe('recurring tasks', () => {
  it('pay for one execution at a time and are booked again after each', async () => {
    const scene = await Scene.open()
    await scene.recurring('a', T, 2 * S)
    expect(await scene.tasks.balance('alice')).to.equal(1_000_000 - 12_000)
    await scene.to(T)
    expect(await scene.told('TaskTriggered', 'Notify')).to.deep.equal(['TaskExecuted a 0', 'TaskRescheduled a 2'])
    expect(await scene.tasks.balance('alice')).to.equal(1_000_000 - 24_000)
    expect((await scene.tasks.slot(T + 2 * S))?.tasks).to.deep.equal([id('a')])
    await scene.to(T + 2 * S)
    expect((await scene.told()).at(-1)).to.equal('TaskRescheduled a 4')
  })

  it('skip forward on their grid after an outage and are charged once (D14)', async () => {
    const scene = await Scene.open()
    await scene.recurring('a', T, S)
    await scene.downUntil(T + 5 * S + 1)
    expect(await scene.told()).to.deep.equal(['TaskMissed a 0', 'TaskRescheduled a 6'])
    expect(await scene.tasks.balance('alice')).to.equal(1_000_000 - 24_000)
    await scene.to(T + 6 * S)
    expect(await scene.told('TaskTriggered', 'Notify')).to.include('TaskExecuted a 6')
  })

  it('are removed when they cannot pay, or find the next slot full', async () => {
    const scene = await Scene.open()
    await scene.tasks.endow('carol', 12_000)
    await scene.schedule('a', [], { as: 'carol', schedule: { kind: 'recurring', next: T, frequency: S } })
    await scene.recurring('b', T, 2 * S)
    for (const name of ['x', 'y']) await scene.scheduled(name, [T + 2 * S])
    await scene.to(T)
    const failures = (await scene.events()).filter(({ event }) => event === 'TaskRescheduleFailed')
    expect(failures.map(({ error }) => error)).to.deep.equal(['InsufficientBalance', 'TimeSlotFull'])
    expect(await scene.tasks.task(id('b'))).to.equal(undefined)
    expect(await scene.tasks.slot(T + S)).to.equal(undefined)
  })

  it('are not scheduled again after an error they abort on', async () => {
    const scene = await Scene.open()
    const action = { kind: 'transfer' as const, to: 'bob', amount: 5_000_000 }
    await scene.recurring('a', T, S, { action, abortErrors: ['InsufficientBalance'] })
    await scene.recurring('b', T, S, { action })
    await scene.to(T)
    expect(await scene.told('TaskTriggered', 'TransferFailed', 'TaskExecutionFailed')).to.deep.equal([
      'TaskNotRescheduled a InsufficientBalance',
      'TaskRescheduled b 1',
    ])
  })
})

describe('stopping and starting all tasks', () => {
  it('[OAK-136] starts stopped tasks, and refuses to start running ones', async () => {
    const scene = await Scene.open()
    expect(await scene.tasks.start(root)).to.include({ error: 'ScheduledTasksAlreadyRunning' })
    expect(await scene.tasks.stop(root)).to.include({ ok: true })
    expect(await scene.tasks.stop(root)).to.include({ error: 'ScheduledTasksAlreadyStopped' })
    expect(await scene.tasks.start(root)).to.include({ ok: true })
    expect(await scene.told()).to.deep.equal(['ScheduledTasksStopped', 'ScheduledTasksResumed'])
  })

  it('[OAK-137] is for root and the committee only', async () => {
    const scene = await Scene.open({ committee: ['carol'] })
    expect(await scene.tasks.stop(signed('alice'))).to.include({ error: 'NotAllowed' })
    expect(await scene.tasks.stop(signed('carol'))).to.include({ ok: true })
    expect(await scene.tasks.start(signed('alice'))).to.include({ error: 'NotAllowed' })
    expect(await scene.tasks.start(signed('carol'))).to.include({ ok: true })
    expect(await scene.tasks.endow('alice', 1, signed('carol'))).to.include({ error: 'NotAllowed' })
    expect(await scene.tasks.reconfigure(mock, signed('carol'))).to.include({ error: 'NotAllowed' })
  })

  it('[OAK-154] reports every slot that passed meanwhile as missed, oldest first, and runs the present one first', async () => {
    const scene = await Scene.open()
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) await scene.scheduled(name, [T + index * S])
    await scene.tasks.stop(root)
    await scene.to(T + 3 * S + 5)
    expect(await scene.told()).to.deep.equal(['ScheduledTasksStopped'])
    await scene.tasks.start(root)
    await scene.virtual.runUntilQuiet()
    expect(await scene.told('TaskTriggered', 'Notify', 'TaskCompleted')).to.deep.equal([
      ...['ScheduledTasksStopped', 'ScheduledTasksResumed'],
      ...['TaskExecuted d 3', 'TaskMissed a 0', 'TaskMissed b 1', 'TaskMissed c 2'],
    ])
  })

  it('still schedules and cancels while stopped', async () => {
    const scene = await Scene.open()
    await scene.tasks.stop(root)
    await scene.scheduled('a', [T])
    expect(await scene.tasks.cancel(signed('alice'), id('a'))).to.include({ ok: true })
    expect(await scene.tasks.slot(T)).to.equal(undefined)
  })
})
