import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { generateKeyPair } from '../../src/identity/KeyPair.js'
import { carillon, documents, RunningNode, scratchFolder } from './spawnCarillon.js'

describe('the command on the history of a store', function () {
  const { folder, remove } = scratchFolder()
  const store = join(folder, 'data')
  const on = (...args: readonly string[]) => carillon([...args, '--store', store])
  let added: number

  before(async () => {
    const node = await RunningNode.start(store)
    await on('start', 'notes/Add', '{"text":"later","inSeconds":3600,"copies":2}')
    await node.signal('SIGINT')
    const events = documents((await on('log', 'show', '--json')).stdout)
    added = Number(events.find(({ event }) => (event as { type: string }).type === 'TransactionRecorded')?.['revision'])
  })
  after(remove)

  it('shows the vault and the agenda as they were, and what is different since', async () => {
    const [before, after, agenda, earlier, diff, json] = await Promise.all([
      on('vault', '--at', String(added - 1)),
      on('vault', '--at', String(added), '--json'),
      on('agenda', '--at', String(added), '--json'),
      on('agenda', '--at', '2020-01-01T00:00:00Z'),
      on('diff', '--from', String(added - 1)),
      on('diff', '--from', '0', '--to', String(added), '--json'),
    ])
    expect(before.stdout).to.equal('No such states.\n')
    expect(documents(after.stdout)).to.have.length(2)
    expect(documents(agenda.stdout).map(({ standing }) => standing)).to.deep.equal(['scheduled', 'scheduled'])
    expect(earlier.stdout).to.equal('Nothing is scheduled.\n')
    expect(diff.stdout).to.match(/states produced: 2\n\+ .*later/)
    expect(diff.stdout).to.match(/on the agenda: 2\n\+ .*scheduled {2}notes\/Read {2}due /)
    expect(documents(json.stdout)[0]).to.have.nested.property('states.produced.total', 2)
  })

  it('refuses moments that are none', async () => {
    const [beyond, word, reversed] = await Promise.all([
      on('vault', '--at', '100000'),
      on('agenda', '--at', 'yesterday'),
      on('diff', '--from', '3', '--to', '2'),
    ])
    expect(beyond.stderr).to.match(/^error\[revision-unknown\]: There is no revision 100000/)
    expect(word.stderr).to.match(/^error\[usage\]: .*It must be a revision or an instant/)
    expect(word.code).to.equal(2)
    expect(reversed.stderr).to.include('Exchange the two')
  })

  it('gives a checkpoint to keep, and finds with it an end that was cut off', async () => {
    const head = await on('log', 'head')
    const file = join(folder, 'head.json')
    writeFileSync(file, head.stdout)
    expect((await on('log', 'verify', '--head', file)).stdout).to.include('The log is sound.')
    const exported = await on('log', 'export', '-')
    const lines = exported.stdout.split('\n')
    const cut = lines.slice(
      0,
      lines.findIndex((line) => line.includes('"revision":' + String(added - 1))),
    )
    const shorter = join(folder, 'shorter')
    await carillon(['log', 'import', '-', '--store', shorter], { input: `${cut.join('\n')}\n` })
    const [without, against] = await Promise.all([
      carillon(['log', 'verify', '--store', shorter]),
      carillon(['log', 'verify', '--store', shorter, '--head', file, '--json']),
    ])
    expect(without.stdout).to.include('The log is sound.')
    expect(against.code).to.equal(1)
    expect(documents(against.stdout)[0]).to.have.nested.property('problems[0].kind', 'cut-off')
    expect(against.stderr).to.match(/^error\[log-altered\]: .*the first \(cut-off\) at revision/)
  })

  it('proves an event to someone who has no store', async () => {
    const proof = await on('log', 'prove', String(added))
    expect(proof.stderr).to.match(/The proof shows all \d+ events of tick/)
    const [checked, json, altered, foreign] = await Promise.all([
      carillon(['log', 'check-proof', '-'], { input: proof.stdout }),
      carillon(['log', 'check-proof', '-', '--json'], { input: proof.stdout }),
      carillon(['log', 'check-proof', '-'], { input: proof.stdout.replace('later', 'never') }),
      carillon(['log', 'check-proof', '-', '--by', generateKeyPair().publicKey], { input: proof.stdout }),
    ])
    expect(checked.stdout).to.match(/^The proof holds\. Revision \d+, tick \d+ at .*: TransactionRecorded/)
    expect(documents(json.stdout)[0]).to.include({ revision: added })
    expect(altered.code).to.equal(1)
    expect(altered.stderr).to.match(/^error\[proof-invalid\]/)
    expect(foreign.stderr).to.match(/^error\[proof-invalid\]: .*signed by/)
  })
})
