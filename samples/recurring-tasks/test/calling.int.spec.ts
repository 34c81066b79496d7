import { expect } from 'chai'
import * as t from 'io-ts'
import { defineFlow, refuseWith, type FlowBody } from 'carillon'
import { taskIdOf, type Action } from '../model/Task.js'
import { calledWith, signed } from '../model/Origin.js'
import { S, Scene, T } from './Scene.js'

const id = taskIdOf('alice', 'a')
const greeted: string[] = []

const Greet = defineFlow({
  name: 'test/Greet',
  clients: false,
  input: calledWith(t.strict({ name: t.string })),
  *run(io, { input: { name } }): FlowBody<void> {
    yield* io.step('greet', () => {
      greeted.push(name)
    })
  },
})
const Forbidden = defineFlow({
  name: 'test/Forbidden',
  clients: false,
  input: calledWith(t.strict({})),
  *run(io): FlowBody<void> {
    yield* io.progress('this must not be reached')
    greeted.push('forbidden')
  },
})
const Nap = defineFlow({
  name: 'test/Nap',
  clients: false,
  input: calledWith(t.strict({})),
  *run(io): FlowBody<void> {
    yield* io.sleep({ hours: 1 })
  },
})
const Break = defineFlow({
  name: 'test/Break',
  clients: false,
  input: calledWith(t.strict({})),
  *run(io): FlowBody<void> {
    yield* io.progress('about to break')
    throw new Error('BrokenVase')
  },
})

/** Works for Alice alone. */
const Private = defineFlow({
  name: 'test/Private',
  clients: false,
  input: calledWith(t.strict({})),
  refusals: t.literal('BadOrigin'),
  *run(io, { caller: { owner, origin } }) {
    if (origin.kind !== 'signed' || origin.account !== 'alice') return refuseWith('BadOrigin')
    yield* io.step('greet', () => {
      greeted.push(owner)
    })
    return undefined
  },
})
const AnyonesFlow = defineFlow({
  name: 'test/Anyones',
  input: calledWith(t.strict({})),
  *run(io): FlowBody<void> {
    yield* io.progress('anyone may start me')
  },
})

const flows = [Greet, Forbidden, Nap, Break, Private, AnyonesFlow]
const callable = [Greet, Nap, Break, Private]
const call = (flow: string, input: object = {}): Action => ({ kind: 'call', flow, input: { ...input } })

describe('tasks that call a flow', () => {
  beforeEach(() => {
    greeted.length = 0
  })

  it('[OAK-109] fail with CallCannotBeDecoded when nobody can read the call', async () => {
    const scene = await Scene.open({ flows, callable })
    await scene.scheduled('a', [T], { action: call('test/Greet', { name: 7 }) })
    await scene.scheduled('b', [T], { action: call('test/Unheard') })
    await scene.to(T)
    expect(await scene.told('TaskTriggered', 'TaskCompleted')).to.deep.equal([
      'TaskExecutionFailed a 0 CallCannotBeDecoded',
      'TaskExecutionFailed b 0 CallCannotBeDecoded',
    ])
    expect(greeted).to.deep.equal([])
  })

  it('[OAK-111] fail with CallFiltered when the registry does not allow the flow', async () => {
    const scene = await Scene.open({ flows, callable })
    await scene.scheduled('a', [T], { action: call('test/Forbidden') })
    await scene.to(T)
    expect(await scene.told('TaskTriggered', 'TaskCompleted')).to.deep.equal(['TaskExecutionFailed a 0 CallFiltered'])
    expect(greeted).to.deep.equal([])
  })

  it('[OAK-112] make the call, and account for it when it has come back', async () => {
    const scene = await Scene.open({ flows, callable })
    await scene.scheduled('a', [T], { action: call('test/Greet', { name: 'Ada' }) })
    await scene.to(T)
    expect(greeted).to.deep.equal(['Ada'])
    expect(await scene.told()).to.deep.equal(['TaskTriggered a 0', 'TaskExecuted a 0', 'TaskCompleted a'])
  })

  it('tell the called flow their owner and origin, whatever the task says, and it can refuse them', async () => {
    const scene = await Scene.open({ flows, callable })
    const forged = { caller: { owner: 'alice', origin: signed('alice') } }
    await scene.scheduled('a', [T], { action: call('test/Private') })
    await scene.scheduled('b', [T], { as: 'bob', action: call('test/Private', forged) })
    await scene.to(T)
    expect(greeted).to.deep.equal(['alice'])
    expect(await scene.told('TaskTriggered', 'TaskCompleted')).to.have.members([
      'TaskExecuted a 0',
      "TaskExecutionFailed bob's b 0 BadOrigin",
    ])
  })

  it('call no flow that clients may start, since they could name any owner', async () => {
    const opened = Scene.open({ flows, callable: [AnyonesFlow] })
    expect(await opened.catch(String)).to.match(/callable-by-anyone|clients may start it/)
  })

  it('fail with what the called flow threw', async () => {
    const scene = await Scene.open({ flows, callable })
    await scene.scheduled('a', [T], { action: call('test/Break') })
    await scene.to(T)
    expect(await scene.told()).to.include('TaskExecutionFailed a 0 BrokenVase')
  })

  it('hold up nobody while the called flow sleeps, and are complete only when it has woken', async () => {
    const scene = await Scene.open({ flows, callable })
    await scene.scheduled('a', [T], { action: call('test/Nap') })
    await scene.scheduled('b', [T + S])
    await scene.to(T + S)
    expect(await scene.told('TaskTriggered', 'Notify')).to.deep.equal(['TaskExecuted b 1', 'TaskCompleted b'])
    expect(await scene.tasks.task(id)).to.include({ calling: 1 })
    await scene.to(T + 7 * S)
    expect((await scene.told()).slice(-2)).to.deep.equal(['TaskExecuted a 0', 'TaskCompleted a'])
  })

  it('still report how the call ended when they were cancelled meanwhile, but never complete', async () => {
    const scene = await Scene.open({ flows, callable })
    await scene.scheduled('a', [T, T + S], { action: call('test/Nap') })
    await scene.to(T)
    await scene.tasks.cancel(signed('alice'), id)
    await scene.to(T + 9 * S)
    expect(await scene.told()).to.deep.equal(['TaskTriggered a 0', 'TaskCancelled a', 'TaskExecuted a 0'])
  })

  it('survive a crash in the middle of a call', async () => {
    const scene = await Scene.open({ flows, callable })
    await scene.scheduled('a', [T], { action: call('test/Nap') })
    await scene.to(T + 60)
    await scene.downUntil(T + 9 * S)
    expect(await scene.told()).to.deep.equal(['TaskTriggered a 0', 'TaskExecuted a 0', 'TaskCompleted a'])
  })
})
