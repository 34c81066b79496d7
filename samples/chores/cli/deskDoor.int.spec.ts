import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { instant, startNode, type Node } from 'carillon'
import { createChoresApp } from '../app.js'
import { answerRequest } from './answerRequest.js'
import { askDesk, openDeskDoor } from './deskDoor.js'
import type { DeskRequest } from './requests.js'

describe('the door to the desk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-chores-door-'))
  let node: Node
  let close: () => Promise<void>

  before(async () => {
    const chores = createChoresApp()
    node = await startNode({ app: chores.app })
    await chores.connect(node)
    close = await openDeskDoor(folder, (request) =>
      answerRequest(chores.deskOf, request, instant('2026-01-05T00:00:00.000Z')),
    )
  })

  after(async () => {
    await close()
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const as = (caller: string) => ({ caller, json: false })
  const refusalOf = async (request: DeskRequest): Promise<string> =>
    askDesk(folder, request).then(
      () => 'not refused',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )

  it('is open to its owner alone', () => {
    expect(statSync(join(folder, 'chores.sock')).mode & 0o777).to.equal(0o600)
  })

  it('lists chores, takes controls under the name of the caller, and tells what happened', async () => {
    const choreId = 'archive-proposals'
    await askDesk(folder, {
      ...as('caretaker'),
      ask: 'control',
      choreId,
      control: { verb: 'interval', seconds: 60, maxSeconds: null },
    })
    await askDesk(folder, { ...as('operator'), ask: 'control', choreId, control: { verb: 'start' } })
    expect((await askDesk(folder, { ...as('auditor'), ask: 'list' })).join('\n')).to.match(
      /archive-proposals +\w+ +Running/,
    )
    const details = await askDesk(folder, { ...as('auditor'), ask: 'status', choreId })
    expect(details.join('\n')).to.contain('interval    60 s')
    const log = (await askDesk(folder, { ...as('auditor'), ask: 'log', choreId })).join('\n')
    expect(log).to.contain('control interval (by caretaker)').and.to.contain('run-started (by operator)')
  })

  it('says why it refuses: no permission, no such chore, no sense, nobody there', async () => {
    expect(await refusalOf({ ...as('auditor'), ask: 'stop-all' })).to.equal(
      'auditor lacks the permission ManageChores (18).',
    )
    expect(await refusalOf({ ...as('auditor'), ask: 'status', choreId: 'none' })).to.equal('There is no chore none.')
    expect(await askDesk(join(folder, 'elsewhere'), { ...as('auditor'), ask: 'list' }).catch((error: unknown) => error))
      .to.have.property('message')
      .that.contains('Start them with: npm run chores -- run')
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(join(folder, 'chores.sock'))
      socket.setEncoding('utf8').on('data', (text: string) => resolve(text))
      socket.write('{"caller": 1}\n')
    })
    expect(answer).to.contain('The request cannot be read')
  })
})
