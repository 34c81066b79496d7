import { expect } from 'chai'
import { instant } from 'carillon'
import type { VerbAnswer } from 'carillon/http'
import { VirtualNode } from 'carillon/testing'
import { createChoresApp } from './app.js'
import { archiveProposalsId as chore } from './chores.js'
import { auditor, caretaker, owner, stranger } from './test/callers.js'
import { choresVerbs } from './verbs.js'

describe('the verbs of the chores', () => {
  const open = async () => {
    const chores = createChoresApp()
    const virtual = await VirtualNode.start({ app: chores.app, start: instant('2026-01-05T00:00:00.000Z') })
    await chores.connect(virtual.node)
    const { verbs } = choresVerbs(chores.engine)
    const ask = (name: string, words: Readonly<Record<string, string>> = {}, caller = owner): Promise<VerbAnswer> => {
      const verb = verbs.find(({ description }) => description.name === name)
      if (verb === undefined) throw new Error(`There is no verb ${name}.`)
      return verb.perform(virtual.node, words, caller)
    }
    const refusal = (name: string, words: Readonly<Record<string, string>> = {}, caller = owner): Promise<string> =>
      ask(name, words, caller).then(
        () => 'not refused',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
    const details = async () => (await ask('status', { chore })).lines.join('\n')
    return { virtual, verbs, ask, refusal, details }
  }

  it('are those people expect, and those that look can be watched', async () => {
    const { verbs } = await open()
    const names = verbs.map(({ description }) => description.name)
    expect(names).to.include.members([
      ...['list', 'status', 'enable', 'disable', 'interval', 'timeout', 'trigger', 'start', 'schedule'],
      ...['pause', 'resume', 'stop', 'stop-all', 'log', 'next-run', 'create', 'rename', 'delete'],
    ])
    const live = verbs.filter(({ description }) => description.live).map(({ description }) => description.name)
    expect(live).to.deep.equal(['list', 'status', 'log'])
  })

  it('take a chore through its life, and tell it afterwards with who asked', async () => {
    const { virtual, ask, refusal, details } = await open()
    await ask('interval', { chore, seconds: '60' }, caretaker)
    await ask('timeout', { chore, seconds: '30' })
    expect(await details()).to.match(/interval +60 s\n +timeout +30 s/)
    await ask('interval', { chore, seconds: '60', max: '90' })
    expect(await details()).to.contain('60 s to 90 s')
    await ask('interval', { chore, seconds: '70' })
    expect(await details()).to.contain('70 s to 90 s')
    expect(await refusal('interval', { chore, seconds: '91' })).to.contain('The maximum of 90 s would be below')
    await ask('interval', { chore, seconds: '91', max: 'none' })
    expect(await details()).to.contain('interval    91 s\n')
    await ask('schedule', { chore, instant: '2026-01-06T00:00Z' })
    expect(await details()).to.contain('Scheduled, next run 2026-01-06T00:00:00Z')
    await ask('next-run', { chore, instant: '2026-01-07T00:00Z' })
    expect(await details()).to.contain('Scheduled, next run 2026-01-07T00:00:00Z')
    for (const [verb, lifecycle] of [
      ...[['pause', 'Paused'] as const, ['resume', 'Running'] as const, ['stop', 'Stopped'] as const],
      ...[['enable', 'Running'] as const, ['disable', 'Stopped'] as const, ['start', 'Running'] as const],
    ]) {
      await ask(verb, { chore })
      expect(await details(), verb).to.contain(`lifecycle   ${lifecycle}`)
    }
    await virtual.runUntilQuiet()
    await ask('break', { chore, reason: 'the archive is full' })
    expect(await details())
      .to.match(/lamp +CircuitBreaker/)
      .and.to.contain('Circuit breaker: the archive is full')
    await ask('trigger', { chore })
    expect(await details()).not.to.contain('lamp        CircuitBreaker')
    await ask('stop-all')
    const { lines } = await ask('log', { chore, last: '100' }, auditor)
    expect(lines.join('\n'))
      .to.contain(`control interval (by ${caretaker.by})`)
      .and.to.contain(`run-started (by ${owner.by})`)
    expect((await ask('log', { chore, last: '2' })).data).to.have.length(2)
    expect((await ask('list')).lines[1]).to.match(/^ {2}archive-proposals/)
  })

  it('create, rename and delete instances of a type', async () => {
    const { ask, refusal } = await open()
    const ids = async () => (await ask('list')).lines.map((line) => line.trim().split(' ')[0])
    await ask('create', { type: chore, chore: 'archive-2', title: 'The second archive' }, caretaker)
    expect(await ids()).to.deep.equal(['refresh-voting-power', chore, 'archive-2', 'confirm-following'])
    expect(await refusal('create', { type: chore, chore: 'archive-2', title: 'Again' })).to.contain('choose another id')
    for (const words of [
      { chore: ' ', title: 'x' },
      { chore: 'x', title: '' },
    ])
      expect(await refusal('create', { type: chore, ...words })).to.contain('is not empty')
    await ask('rename', { chore: 'archive-2', title: 'The other archive' })
    expect((await ask('status', { chore: 'archive-2' })).lines[0]).to.contain('The other archive (archive-2)')
    expect(await refusal('delete', { chore })).to.contain('default instance')
    await ask('delete', { chore: 'archive-2' })
    expect(await ids()).not.to.include('archive-2')
  })

  it('bind every caller to his permissions, and nothing that is refused reaches the log', async () => {
    const { virtual, verbs, refusal } = await open()
    const words = {
      chore,
      seconds: '60',
      instant: '2026-01-06T00:00Z',
      type: chore,
      title: 'x',
      reason: 'x',
      last: '1',
    }
    const { head } = virtual.node
    for (const { description, permission } of verbs) {
      const { name, live } = description
      expect(permission).to.equal('any')
      const needed = live ? 'chores:view' : 'chores:manage'
      expect(await refusal(name, words, stranger), name).to.equal(`${stranger.by} lacks the permission ${needed}.`)
      if (!live) expect(await refusal(name, words, auditor), name).to.contain('lacks the permission chores:manage')
      else expect(await refusal(name, words, auditor), name).to.equal('not refused')
    }
    expect(virtual.node.head).to.deep.equal(head)
  })

  it('say why they refuse: no such chore, no sense', async () => {
    const { refusal } = await open()
    expect(await refusal('status', { chore: 'none' })).to.contain('There is no chore none.')
    expect(await refusal('interval', { chore, seconds: '1h' })).to.contain('a whole number, such as 3600')
    expect(await refusal('interval', { chore, seconds: '0' })).to.contain('at least 1')
    expect(await refusal('schedule', { chore, instant: 'soon' })).to.contain('an instant, such as')
    expect(await refusal('break', { chore, reason: 'x' })).to.contain('is stopped already')
  })
})
