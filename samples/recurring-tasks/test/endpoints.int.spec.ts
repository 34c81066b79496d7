import { expect } from 'chai'
import { serveHttp, type HttpServer } from 'carillon/http'
import { VirtualNode } from 'carillon/testing'
import { recurringTasks } from '../app.js'
import { endpoints } from '../endpoints.js'
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
  const nextSlot = async (): Promise<unknown> => (await ask('ada', 'app/tasks/slots?count=1')).body['items']
  const tea = async () => ({
    providedId: 'tea',
    schedule: { kind: 'fixed', times: ((await nextSlot()) as readonly { readonly at: number }[]).map(({ at }) => at) },
    action: { kind: 'notify', message: 'it is ready' },
  })
  const verb = (as: string, name: string, words: object = {}) => ask(as, `verbs/tasks/${name}`, { words })

  beforeEach(async () => {
    virtual = await VirtualNode.start({ app: recurringTasks() })
    tasks = await TaskRegistry.open(virtual.node, { committee: ['carol'] })
    await tasks.endow('ada', 1_000_000, root)
    server = await serveHttp({ node: virtual.node, endpoints, verbs: [tasksVerbs] }, { localToken })
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
    expect((await ask('ada', 'app/tasks/schedule', await tea())).body).to.deep.include({ ok: true, booked: 1 })
    const id = taskIdOf('ada', 'tea')
    expect(await tasks.task(id)).to.deep.include({ owner: 'ada', providedId: 'tea' })
    expect((await ask('ada', 'app/tasks?owner=ada')).body['items']).to.have.length(1)
    expect(await ask('ada', 'app/tasks/queues')).to.deep.equal({ status: 200, body: { present: [], missed: [] } })
    expect((await ask('eve', 'app/tasks/cancel', { id })).body).to.deep.include({ ok: false, error: 'NotTaskOwner' })
    expect((await ask('ada', 'app/tasks/cancel', { id })).body).to.deep.include({ ok: true })
    expect((await ask('ada', 'app/tasks?owner=ada')).body).to.deep.equal({ items: [] })
  })

  it('refuses a request that says who it is from, and every other field it does not know', async () => {
    const request = await tea()
    const forged = await ask('eve', 'app/tasks/schedule', { ...request, origin: { kind: 'signed', account: 'ada' } })
    expect(forged).to.have.property('status', 400)
    expect(JSON.stringify(forged.body)).to.include('there is no field origin')
    const misspelt = { ...request, schedule: { ...request.schedule, repeat: true } }
    expect(JSON.stringify((await ask('ada', 'app/tasks/schedule', misspelt)).body)).to.include('schedule.repeat')
    expect(await ask('ada', 'app/tasks?limit=none')).to.have.property('status', 400)
  })

  it('lets only the committee stop all tasks, and only root do what is for root', async () => {
    await ask('ada', 'app/tasks/schedule', await tea())
    expect(await ask('ada', 'app/tasks/stop', {})).to.have.property('status', 403)
    expect((await ask('eve', 'app/tasks/stop', {})).body).to.deep.include({ error: 'NotAllowed' })
    expect((await ask('carol', 'app/tasks/stop', {})).body).to.deep.include({ ok: true })
    expect(await ask('carol', 'app/tasks/root/start', {})).to.have.property('status', 403)
    expect((await ask('ruth', 'app/tasks/root/start', {})).body).to.deep.include({ ok: true })
    const id = taskIdOf('ada', 'tea')
    expect(await ask('eve', 'app/tasks/root/cancel', { id })).to.have.property('status', 403)
    expect((await ask('ruth', 'app/tasks/root/cancel', { id })).body).to.deep.include({ ok: true })
    expect((await ask('ruth', 'app/tasks/root/endow', { account: 'eve', amount: 7 })).body).to.include({ ok: true })
    expect(await tasks.balance('eve')).to.equal(7)
  })

  it('lets a verb act for another account only where its caller may act as root', async () => {
    const words = { id: 'tea', times: 'next', message: 'hello', to: '', amount: '0', every: '', as: '' }
    expect(JSON.stringify((await verb('eve', 'schedule', { ...words, as: 'ada' })).body)).to.include('NotAllowed')
    expect(await verb('ada', 'schedule', words)).to.have.property('status', 200)
    expect(await tasks.task(taskIdOf('ada', 'tea'))).to.not.equal(undefined)
    expect(await verb('eve', 'endow', { account: 'eve', amount: '9' })).to.have.property('status', 403)
    expect(await verb('local', 'cancel', { task: 'ada/tea', as: 'root' })).to.have.property('status', 200)
    expect(await verb('ada', 'stop')).to.have.property('status', 403)
    expect(JSON.stringify((await verb('eve', 'stop')).body)).to.include('NotAllowed')
    expect(await verb('carol', 'stop')).to.have.property('status', 200)
    expect(JSON.stringify((await verb('ada', 'status')).body)).to.include('tasks are stopped')
  })
})
