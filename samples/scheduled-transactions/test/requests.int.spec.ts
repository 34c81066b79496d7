import { expect } from 'chai'
import { plain } from '../model/plain.js'
import { answerRequest, requests } from '../requests.js'
import { Scene } from './Scene.js'

describe('what can be asked of the network from outside', () => {
  const requestAt = (path: string) => requests.find((request) => request.path === path)!

  it('names a flow of the app for every request', async () => {
    const scene = await Scene.open()
    const flows = new Set(scene.app.app.flows.map(({ name }) => name))
    for (const { flow } of requests) expect(flows.has(flow), flow).to.equal(true)
    expect(new Set(requests.map(({ path }) => path)).size).to.equal(requests.length)
  })

  it('is answered by that flow, and refused when the flow does not take it', async () => {
    const scene = await Scene.open()
    await scene.people('A', 'B')
    const operation = { kind: 'scheduleCreate', transactionBody: scene.transfer('A', 'B', 1) }
    const signed = plain(scene.wallet('D').transaction(operation, scene.now))
    const ask = (path: string, input: Parameters<typeof answerRequest>[2]) =>
      answerRequest(scene.virtual.node, requestAt(path), input, 'somebody')
    expect(await ask('schedules/create', signed)).to.include({ status: 'SUCCESS', handled: true })
    expect(await ask('schedules/info', { schedule: '0.0.1' })).to.deep.equal({ status: 'INVALID_SCHEDULE_ID' })
    expect(await ask('schedules/capacity', { second: scene.second + 60, kind: 'cryptoTransfer' })).to.include({
      hasRoom: true,
    })
    const refused = await ask('schedules/create', { body: 'none' }).catch((error: unknown) => error)
    expect(refused).to.include({ code: 'flow-input-invalid' })
  })
})
