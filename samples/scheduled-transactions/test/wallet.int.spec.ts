/** The wallet of the command line: what it lists, and how it says what is wrong. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { instant } from 'carillon'
import { walletProgram } from '../cli/walletProgram.js'
import { builtIn } from '../operations/builtIn.js'

describe('the wallet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wallet-'))
  const key = join(folder, 'a.key')
  const network = join(folder, 'network.json')
  before(async () => {
    await run('key', key)
    writeFileSync(network, JSON.stringify({ status: 'SUCCESS', ledgerID: 'ab'.repeat(32) }))
  })
  after(() => {
    rmSync(folder, { recursive: true })
  })

  const run = async (...args: readonly string[]): Promise<{ readonly printed: string; readonly complaint: string }> => {
    let printed = ''
    let complaint = ''
    const host = {
      print: (text: string) => void (printed += `${text}\n`),
      complain: (text: string) => void (complaint += text),
      now: () => instant('2026-01-01T00:00:00Z'),
    }
    await walletProgram(host)
      .parseAsync(args, { from: 'user' })
      .catch(() => undefined)
    return { printed, complaint }
  }
  const submit = async (operation: string, ...more: readonly string[]) =>
    run('submit', operation, '--account', '0.0.2', '--key', key, '--network', network, ...more)

  it('lists every kind of operation with an example that names its fields', async () => {
    const { printed } = await run('operations')
    for (const { kind, example } of builtIn) expect(printed).to.contain(JSON.stringify(example)).and.to.contain(kind)
    expect(printed).to.match(/cryptoDelete.*\(not on the whitelist of a new network\)/)
  })

  it('names the field that is wrong, and what belongs there', async () => {
    const transfer = (amount: unknown) =>
      JSON.stringify({ kind: 'cryptoTransfer', transfers: [{ accountID: '0.0.2', amount }] })
    expect((await submit(transfer('ten'))).complaint).to.contain(
      'In cryptoTransfer: transfers.0.amount is "ten", expected Integer.',
    )
    expect((await submit(transfer(10))).complaint).to.contain('INVALID_ACCOUNT_AMOUNTS: The amounts do not add up')
    expect((await submit('{"kind":"cryptoTransfer"}')).complaint).to.contain('transfers is missing')
    const { complaint } = await submit('{"kind":"cryptoTransfr","transfers":[]}')
    expect(complaint).to.contain('no operation cryptoTransfr').and.to.contain('cryptoTransfer, cryptoCreateAccount')
    expect((await submit('{')).complaint).to.contain('it is no JSON')
    expect((await submit('{"kind":"shop/Order","what":"milk"}')).printed).to.contain('shop/Order')
  })

  it('says which file is not there, or is something else', async () => {
    const missing = join(folder, 'nowhere.json')
    const transfer = '{"kind":"cryptoTransfer","transfers":[]}'
    expect((await submit(transfer, '--network', missing)).complaint)
      .to.contain(missing)
      .and.to.contain('no such file')
    expect((await submit(transfer, '--network', key)).complaint).to.contain('ledgerID is missing')
    expect((await submit(transfer, '--key', missing)).complaint).to.contain(missing)
  })
})
