import { expect } from 'chai'
import { serveHttp, type HttpServer } from 'carillon/http'
import { VirtualNode } from 'carillon/testing'
import { recurringTasks } from '../app.js'
import { root } from '../model/Origin.js'
import { taskIdOf } from '../model/Task.js'
import { TaskRegistry } from '../TaskRegistry.js'
import { tasksVerbs } from '../verbs.js'

const localToken = `crl_${'0'.repeat(12)}_${'a'.repeat(43)}`
const permissions = {
  ada: ['tasks:view', 'tasks:manage'],
  carol: ['tasks:committee'],
  eve: ['tasks:view', 'tasks:manage', 'tasks:committee'],
  ruth: ['tasks:view', 'tasks:root'],
  rita: ['tasks:manage', 'tasks:root'],
}

describe('the registry over HTTP', () => {
  let virtual: VirtualNode
  let server: HttpServer
  let tasks: TaskRegistry
  const tokens = new Map<string, string>()
  const ask = async (
    as: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> => {
    const response = await fetch(`${server.url}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${tokens.get(as) ?? localToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
  }
  const verb = (as: string, name: string, words: Readonly<Record<string, string>> = {}) =>
    ask(as, `verbs/tasks/${name}`, { words })
  const textOf = async (asked: ReturnType<typeof verb>): Promise<string> => JSON.stringify((await asked).body)
  const tea = { id: 'tea', times: 'next', message: 'it is ready' }
  const id = taskIdOf('ada', 'tea')

  beforeEach(async () => {
    virtual = await VirtualNode.start({ app: recurringTasks() })
    tasks = await TaskRegistry.open(virtual.node, { committee: ['carol'] })
    await tasks.endow('ada', 1_000_000, root)
    server = await serveHttp({ node: virtual.node, verbs: [tasksVerbs] }, { localToken })
    tokens.clear()
    for (const [name, granted] of Object.entries(permissions)) {
      const { body } = await ask('local', 'tokens', { name, permissions: granted })
      tokens.set(name, String(body['token']))
    }
  })
  afterEach(async () => {
    await server.close()
    await virtual.stop()
  })

  it('takes a task from the account that has the name of the token, lists it, and cancels it', async () => {
    expect((await verb('ada', 'schedule', tea)).body['data']).to.deep.include({ ok: true, booked: 1, id })
    expect(await tasks.task(id)).to.deep.include({ owner: 'ada', providedId: 'tea' })
    expect((await verb('ada', 'list', { owner: 'ada' })).body['data']).to.have.length(1)
    expect((await verb('ada', 'list', { status: 'queued' })).body['data']).to.deep.equal([])
    expect((await verb('ada', 'missed')).body['data']).to.deep.equal([])
    expect(await textOf(verb('eve', 'cancel', { task: id }))).to.include('NotTaskOwner')
    expect((await verb('ada', 'cancel', { task: id })).body['data']).to.deep.include({ ok: true })
    expect((await verb('ada', 'list', { owner: 'ada' })).body['data']).to.deep.equal([])
  })

  it('takes transfers and calls, once or again and again, with the errors that end them', async () => {
    await verb('ada', 'schedule', { id: 'rent', times: 'next,next+1', to: 'ben', amount: '7' })
    expect((await tasks.task(taskIdOf('ada', 'rent')))?.action).to.deep.equal({
      kind: 'transfer',
      to: 'ben',
      amount: 7,
    })
    const call = { call: 'shop/Order', input: '{"cups":[1,2]}', abort: 'sold-out,closed', every: '3600' }
    expect(await verb('ada', 'schedule', { id: 'cups', times: 'next', ...call })).to.have.property('status', 200)
    const task = await tasks.task(taskIdOf('ada', 'cups'))
    expect(task?.action).to.deep.equal({ kind: 'call', flow: 'shop/Order', input: { cups: [1, 2] } })
    expect(task?.schedule).to.include({ kind: 'recurring', frequency: 3_600 })
    expect(task?.abortErrors).to.deep.equal(['sold-out', 'closed'])
    expect(await textOf(verb('ada', 'schedule', { id: 'x', times: 'next', call: 'a', input: '{' }))).to.include('JSON')
  })

  it('refuses words of different actions, and words that mean nothing without others', async () => {
    for (const [words, why] of [
      [{ message: 'hi', to: 'ben', amount: '7' }, 'only one of the three'],
      [{ to: 'ben', amount: '7', call: 'shop/Order' }, 'only one of the three'],
      [{ amount: '7' }, '--amount needs --to'],
      [{ input: '{}' }, '--input needs --call'],
    ] as const) {
      const refused = await verb('ada', 'schedule', { id: 'x', times: 'next', ...words })
      expect(refused).to.have.property('status', 400)
      expect(JSON.stringify(refused.body)).to.include(why)
    }
    expect(await tasks.task(taskIdOf('ada', 'x'))).to.equal(undefined)
  })

  it('refuses a request that says who it is from, and every other word it does not know', async () => {
    for (const words of [{ origin: 'ada' }, { repeat: 'yes' }]) {
      const refused = await verb('eve', 'schedule', { ...tea, ...words })
      expect(refused).to.have.property('status', 400)
      expect(JSON.stringify(refused.body)).to.include(`there is no field ${Object.keys(words).join()}`)
    }
    expect(await verb('ada', 'slots', { count: 'none' })).to.have.property('status', 400)
    expect(await verb('ada', 'list', { status: 'done' })).to.have.property('status', 400)
  })

  it('gives no more free slots than fit an answer, however many are asked for', async () => {
    expect((await verb('ada', 'slots', { count: '999999999999999' })).body['data']).to.have.length(1_000)
  })

  it('lets only the committee stop all tasks, and only root do what is for root', async () => {
    await verb('ada', 'schedule', tea)
    expect(await verb('ada', 'stop')).to.have.property('status', 403)
    expect(await textOf(verb('eve', 'stop'))).to.include('NotAllowed')
    expect(await verb('carol', 'stop')).to.have.property('status', 200)
    expect(await textOf(verb('ada', 'status'))).to.include('tasks are stopped')
    expect(await verb('ruth', 'start')).to.have.property('status', 200)
    expect(await textOf(verb('eve', 'cancel', { task: id, as: 'root' }))).to.include('NotAllowed')
    expect((await verb('rita', 'cancel', { task: id, as: 'root' })).body['data']).to.deep.include({ ok: true })
    expect(await verb('eve', 'endow', { account: 'eve', amount: '9' })).to.have.property('status', 403)
    expect(await verb('ruth', 'endow', { account: 'eve', amount: '7' })).to.have.property('status', 200)
    expect(await tasks.balance('eve')).to.equal(7)
  })

  it('lets a verb act for another account only where its caller may act as root', async () => {
    expect(await textOf(verb('eve', 'schedule', { ...tea, as: 'ada' }))).to.include('NotAllowed')
    expect(await verb('ada', 'schedule', { ...tea, as: 'ada' })).to.have.property('status', 200)
    expect(await tasks.task(id)).to.not.equal(undefined)
    expect(await verb('local', 'cancel', { task: 'ada/tea', as: 'root' })).to.have.property('status', 200)
    expect(await verb('rita', 'schedule', { ...tea, as: 'ada' })).to.have.property('status', 200)
    expect(await tasks.task(id)).to.deep.include({ owner: 'ada' })
  })
})
