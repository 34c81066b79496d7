import { expect } from 'chai'
import { serveHttp, type HttpServer } from 'carillon/http'
import { endpoints } from '../endpoints.js'
import { plain } from '../../shared/plain.js'
import { showTransactionID } from '../model/ids.js'
import { Scene } from './Scene.js'

const token = `carillon_${'0'.repeat(64)}`

describe('the network over HTTP', () => {
  let server: HttpServer
  let scene: Scene

  before(async () => {
    scene = await Scene.open()
    await scene.people('A', 'B')
    server = await serveHttp([{ node: scene.virtual.node, endpoints }], { localToken: token })
  })
  after(() => server.close())

  const ask = async (
    path: string,
    body?: unknown,
  ): Promise<{ readonly code: number; readonly answer: Record<string, unknown> }> => {
    const response = await fetch(`${server.url}/api/v1/app/${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { code: response.status, answer: (await response.json()) as Record<string, unknown> }
  }

  it('creates, signs and deletes schedules, and answers every question about them', async () => {
    const body = scene.transfer('A', 'B', 1)
    const create = { kind: 'scheduleCreate', transactionBody: body, sigMap: [scene.signature('D', body)] }
    const signed = scene.wallet('D').transaction(create, scene.now)
    const created = await ask('schedules/create', plain(signed))
    expect(created).to.have.nested.property('answer.status', 'SUCCESS')
    const { schedule } = created.answer['receipt'] as { schedule: string }
    expect(await ask(`schedules/info?schedule=${schedule}`)).to.have.nested.property(
      'answer.info.transactionBody',
      body,
    )

    const deletion = scene.wallet('D').transaction({ kind: 'scheduleDelete', schedule }, scene.now)
    expect(await ask('schedules/delete', plain(deletion))).to.have.nested.property(
      'answer.status',
      'SCHEDULE_IS_IMMUTABLE',
    )
    const sign = { kind: 'scheduleSign', scheduleID: schedule, sigMap: [scene.signature('A', body)] }
    const executed = await ask('schedules/sign', plain(scene.wallet('D').transaction(sign, scene.now)))
    expect(executed).to.have.nested.property('answer.execution.receipt.status', 'SUCCESS')
    expect(await ask(`schedules/history?schedule=${schedule}`)).to.have.nested.property(
      'answer.history.end.as',
      'executed',
    )
    const id = encodeURIComponent(showTransactionID(signed.body.transactionID))
    expect(await ask(`records?id=${id}`)).to.have.nested.property('answer.record.receipt.schedule', schedule)
    const capacity = await ask(`schedules/capacity?second=${scene.second + 60}&kind=cryptoTransfer`)
    expect(capacity).to.have.nested.property('answer.hasRoom', true)
  })

  it('refuses what no flow takes', async () => {
    for (const wrong of [
      await ask('schedules/sign', { body: 'none' }),
      await ask('schedules/info?schedule=seven'),
      await ask('records?id=none'),
      await ask('schedules/capacity?second=-1&kind=x'),
    ])
      expect(wrong.code).to.be.within(400, 499)
  })
})
