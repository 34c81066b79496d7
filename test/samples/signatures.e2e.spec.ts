import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { instant } from '../../src/index.js'
import { walletProgram } from '../../samples/scheduled-transactions/cli/walletProgram.js'
import { carillon, RunningNode, scratchFolder } from '../cli/spawnCarillon.js'

const networkApp = join(import.meta.dirname, '../../samples/scheduled-transactions/node.ts')

describe('scheduled transactions from the command line', function () {
  this.timeout(120_000)
  const { folder, remove } = scratchFolder()
  const store = join(folder, 'data')
  const file = (name: string): string => join(folder, `${name}.key`)
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
    expect(await start('OpenNetwork', await wallet('open', '--key', file('treasury')))).to.deep.equal({
      status: 'SUCCESS',
    })
    const { publicKey } = JSON.parse(readFileSync(file('alice'), 'utf8')) as { publicKey: string }
    const account = JSON.stringify({ kind: 'cryptoCreateAccount', key: publicKey, initialBalance: 1_000 })
    const made = await start('Submit', await wallet('submit', account, ...treasury))
    expect(made).to.deep.include({ status: 'SUCCESS' }).and.to.have.nested.property('receipt.accountID', '0.0.1001')

    const transfers = [
      { accountID: '0.0.1001', amount: -10 },
      { accountID: '0.0.2', amount: 10 },
    ]
    const transfer = JSON.stringify({ kind: 'cryptoTransfer', transfers })
    const created = await start(
      'ScheduleCreate',
      await wallet('create', transfer, ...treasury, '--sign', file('treasury')),
    )
    expect(created).to.have.nested.property('receipt.schedule', '0.0.1002')

    const info = await start('ScheduleGetInfo', '{"schedule":"0.0.1002"}')
    writeFileSync(join(folder, 'info.json'), JSON.stringify(info))
    const signing = ['--account', '0.0.1001', '--key', file('alice'), '--sign', file('alice')]
    const signed = await start('ScheduleSign', await wallet('sign', '--info', join(folder, 'info.json'), ...signing))
    expect(signed).to.have.nested.property('execution.receipt.status', 'SUCCESS')
    expect(await start('ScheduleGetInfo', '{"schedule":"0.0.1002"}')).to.deep.equal({ status: 'SCHEDULE_DELETED' })
  })

  it('say what is wrong with a request before it is signed', async () => {
    const refusal = (...args: readonly string[]): Promise<string> =>
      wallet(...args).then(
        () => 'accepted',
        (error: unknown) => String(error),
      )
    const paying = ['--account', '0.0.2', '--key', file('treasury')]
    expect(await refusal('submit', 'garbage', ...paying)).to.include('as JSON')
    expect(await refusal('delete', 'seven', ...paying)).to.include('such as 0.0.1004')
    expect(await refusal('submit', '{"kind":"x"}', '--account', '0.0.2', '--key', file('nobody'))).to.include(
      'no such file',
    )
  })
})
