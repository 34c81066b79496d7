import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { instant } from '../../src/index.js'
import { walletProgram } from '../../samples/scheduled-transactions/cli/walletProgram.js'
import { showTransactionID } from '../../samples/scheduled-transactions/model/ids.js'
import { carillon, RunningNode, scratchFolder } from '../cli/spawnCarillon.js'

const networkApp = join(import.meta.dirname, '../../samples/scheduled-transactions/node.ts')

describe('scheduled transactions from the command line', function () {
  const { folder, remove } = scratchFolder()
  const store = join(folder, 'data')
  const file = (name: string): string => join(folder, `${name}.key`)
  const onNetwork = ['--network', join(folder, 'network.json')]
  let node: RunningNode

  /** What the wallet prints. */
  const wallet = async (...args: readonly string[]): Promise<string> => {
    const printed: string[] = []
    const host = {
      print: (text: string) => void printed.push(text),
      complain: () => undefined,
      now: () => instant(new Date().toISOString()),
    }
    await walletProgram(host).parseAsync(args, { from: 'user' })
    return printed.join('\n')
  }
  /** What a flow of the network answers. */
  const start = async (flow: string, input: string): Promise<Record<string, unknown>> => {
    const ended = await carillon(['start', `scheduled-transactions/${flow}`, '-', '--json', '--store', store], {
      input,
    })
    expect(ended.code, ended.stderr).to.equal(0)
    return (JSON.parse(ended.stdout) as { result: Record<string, unknown> }).result
  }

  before(async () => {
    for (const name of ['treasury', 'alice']) await wallet('key', file(name))
    node = await RunningNode.start(store, [], networkApp)
  })
  after(async () => {
    await node.signal('SIGINT')
    remove()
  })

  it('are signed by a wallet that never meets the node, and executed by it once everybody has signed', async () => {
    const treasury = ['--account', '0.0.2', '--key', file('treasury')]
    const opened = await start('OpenNetwork', await wallet('open', '--key', file('treasury')))
    expect(opened)
      .to.include({ status: 'SUCCESS' })
      .and.to.have.property('ledgerID')
      .that.matches(/^[0-9a-f]{64}$/)
    writeFileSync(join(folder, 'network.json'), JSON.stringify(opened))
    const { publicKey } = JSON.parse(readFileSync(file('alice'), 'utf8')) as { publicKey: string }
    const account = JSON.stringify({ kind: 'cryptoCreateAccount', key: publicKey, initialBalance: 1_000 })
    const made = await start('Submit', await wallet('submit', account, ...onNetwork, ...treasury))
    expect(made).to.deep.include({ status: 'SUCCESS' }).and.to.have.nested.property('receipt.accountID', '0.0.1001')

    const transfers = [
      { accountID: '0.0.1001', amount: -10 },
      { accountID: '0.0.2', amount: 10 },
    ]
    const transfer = JSON.stringify({ kind: 'cryptoTransfer', transfers })
    const created = await start(
      'ScheduleCreate',
      await wallet('create', transfer, ...onNetwork, ...treasury, '--sign', file('treasury')),
    )
    expect(created).to.have.nested.property('receipt.schedule', '0.0.1002')

    const info = await start('ScheduleGetInfo', '{"schedule":"0.0.1002"}')
    writeFileSync(join(folder, 'info.json'), JSON.stringify(info))
    const signing = ['--account', '0.0.1001', '--key', file('alice'), '--sign', file('alice')]
    const signed = await start('ScheduleSign', await wallet('sign', '--info', join(folder, 'info.json'), ...signing))
    expect(signed).to.have.nested.property('execution.receipt.status', 'SUCCESS')
    expect(await start('ScheduleGetInfo', '{"schedule":"0.0.1002"}')).to.deep.equal({ status: 'SCHEDULE_DELETED' })
    const history = await start('ScheduleGetHistory', '{"schedule":"0.0.1002"}')
    expect(history).to.have.nested.property('history.end.as', 'executed')
    expect(history).to.have.nested.property('history.execution.scheduleRef', '0.0.1002')
  })

  it('are taken over HTTP as well, every operation and every question', async () => {
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(node.stdout) ?? []
    const token = readFileSync(join(store, 'http.token'), 'utf8').trim()
    const ask = async (path: string, body?: string): Promise<Record<string, unknown>> => {
      const json = { 'content-type': 'application/json' }
      const response = await fetch(`${url}/api/v1/app/${path}`, {
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : json) },
        ...(body === undefined ? {} : { method: 'POST', body }),
      })
      expect(response.status, path).to.equal(200)
      return (await response.json()) as Record<string, unknown>
    }
    const treasury = ['--account', '0.0.2', '--key', file('treasury')]
    const { publicKey } = JSON.parse(readFileSync(file('treasury'), 'utf8')) as { publicKey: string }
    const transfers = [
      { accountID: '0.0.1001', amount: -10 },
      { accountID: '0.0.2', amount: 10 },
    ]
    const transfer = JSON.stringify({ kind: 'cryptoTransfer', transfers })
    const admin = ['--admin-key', JSON.stringify(publicKey), '--nonce', '7']
    const created = await ask('schedules/create', await wallet('create', transfer, ...onNetwork, ...treasury, ...admin))
    expect(created).to.deep.include({ status: 'SUCCESS' }).and.to.have.nested.property('receipt.schedule', '0.0.1003')

    const info = await ask('schedules/info?schedule=0.0.1003')
    expect(info).to.have.nested.property('info.adminKey', publicKey)
    expect(await ask('schedules/info', await wallet('info', '0.0.1003', ...onNetwork, ...treasury))).to.deep.equal(info)
    writeFileSync(join(folder, 'info.json'), JSON.stringify(info))
    const signing = ['--info', join(folder, 'info.json'), '--sign', file('alice')]
    expect(await ask('schedules/sign', await wallet('sign', ...treasury, ...signing))).to.deep.include({
      status: 'SUCCESS',
    })
    expect(
      await ask('schedules/delete', await wallet('delete', '0.0.1003', ...onNetwork, ...treasury)),
    ).to.deep.include({
      status: 'SUCCESS',
    })
    expect(await ask('schedules/info?schedule=0.0.1003')).to.deep.equal({ status: 'SCHEDULE_DELETED' })
    expect(await ask('schedules/history?schedule=0.0.1003')).to.have.nested.property('history.end.as', 'deleted')
    const account = JSON.stringify({ kind: 'cryptoCreateAccount', key: publicKey })
    const submitted = await wallet('submit', account, ...onNetwork, ...treasury)
    expect(await ask('transactions', submitted)).to.have.nested.property('receipt.accountID', '0.0.1004')
    const { body } = JSON.parse(submitted) as { body: { transactionID: Parameters<typeof showTransactionID>[0] } }
    const id = encodeURIComponent(showTransactionID(body.transactionID))
    expect(await ask(`records?id=${id}`)).to.have.nested.property('record.receipt.accountID', '0.0.1004')
    const second = Math.floor(Date.now() / 1_000) + 3_600
    expect(await ask(`schedules/capacity?second=${second}&kind=cryptoTransfer`)).to.include({ hasRoom: true })
  })

  it('say what is wrong with a request before it is signed', async () => {
    writeFileSync(join(folder, 'network.json'), JSON.stringify({ ledgerID: 'ab'.repeat(32) }))
    const refusal = (...args: readonly string[]): Promise<string> =>
      wallet(...args).then(
        () => 'accepted',
        (error: unknown) => String(error),
      )
    const paying = [...onNetwork, '--account', '0.0.2', '--key', file('treasury')]
    expect(await refusal('submit', 'garbage', ...paying)).to.include('as JSON')
    expect(await refusal('delete', 'seven', ...paying)).to.include('such as 0.0.1004')
    expect(await refusal('submit', '{"kind":"a/x"}', '--account', '0.0.2', '--key', file('nobody'))).to.include(
      'no such file',
    )
  })
})
