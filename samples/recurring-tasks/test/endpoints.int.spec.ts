import { expect } from 'chai'
import { serveHttp, type HttpServer } from 'carillon'
import { VirtualNode } from 'carillon/testing'
import { recurringTasks } from '../app.js'
import { endpoints } from '../endpoints.js'
import { root } from '../model/Origin.js'
import { TaskRegistry } from '../TaskRegistry.js'

const localToken = `crl_${'0'.repeat(12)}_${'a'.repeat(43)}`

describe('the registry over HTTP', () => {
  let virtual: VirtualNode
  let server: HttpServer
  const ask = async (path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }> => {
    const response = await fetch(`${server.url}/api/v1/app/${path}`, {
      headers: { authorization: `Bearer ${localToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }

  before(async () => {
    virtual = await VirtualNode.start({ app: recurringTasks() })
    await (await TaskRegistry.open(virtual.node)).endow('ada', 1_000_000, root)
    server = await serveHttp({ node: virtual.node, endpoints }, { localToken })
  })
  after(async () => {
    await server.close()
    await virtual.stop()
  })

  it('tells free slots, takes a task for one, lists it, and cancels it', async () => {
    const { items: slots } = (await ask('tasks/slots?count=2')).body as { items: readonly { at: number }[] }
    expect(slots).to.have.length(2)
    const origin = { kind: 'signed', account: 'ada' }
    const scheduled = await ask('tasks/schedule', {
      origin,
      providedId: 'tea',
      schedule: { kind: 'fixed', times: [slots[1]?.at] },
      action: { kind: 'notify', message: 'it is ready' },
    })
    expect(scheduled.body).to.deep.include({ ok: true, booked: 1 })
    const listed = (await ask('tasks?owner=ada')).body as { items: readonly { task: { id: string } }[] }
    expect(listed.items).to.have.length(1)
    expect(await ask('tasks/queues')).to.deep.equal({ status: 200, body: { present: [], missed: [] } })
    const cancelled = await ask('tasks/cancel', { origin, id: listed.items[0]?.task.id })
    expect(cancelled.body).to.deep.include({ ok: true })
    expect((await ask('tasks?owner=ada')).body).to.deep.equal({ items: [] })
  })

  it('says what does not fit, and gives the reason of a refusal by its name', async () => {
    expect(await ask('tasks?limit=none')).to.have.property('status', 400)
    const refused = await ask('tasks/cancel', { origin: { kind: 'signed', account: 'ada' }, id: 'nothing' })
    expect(refused.body).to.deep.include({ ok: false, error: 'TaskDoesNotExist' })
  })
})
