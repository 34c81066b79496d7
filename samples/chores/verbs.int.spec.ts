import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { CarillonError, instant } from 'carillon'
import { connect } from 'carillon/client'
import { serveHttp, type VerbAnswer, type VerbCaller } from 'carillon/http'
import { VirtualNode } from 'carillon/testing'
import { createChoresApp } from './app.js'
import { archiveProposalsId as chore } from './chores.js'
import { choresPanel } from './panel.js'
import { choresVerbs } from './verbs.js'

const callerNamed = (by: string): VerbCaller => ({ by, may: () => true })
const owner = callerNamed('cli:owner')
const caretaker = callerNamed('cli:caretaker')

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
    return { chores, virtual, verbs, ask, refusal, details }
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
    const { lines } = await ask('log', { chore, last: '100' })
    expect(lines.join('\n'))
      .to.contain(`control interval (by ${caretaker.by})`)
      .and.to.contain(`run-started (by ${owner.by})`)
    expect((await ask('log', { chore, last: '2' })).data).to.have.length(2)
    expect((await ask('log', { chore, last: '0' })).data).to.have.length(0)
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

  it('[SNE-91, SNE-92] bind every token to its permissions, as the panel does, and what is refused changes nothing', async () => {
    const { chores, virtual, verbs } = await open()
    const { node } = virtual
    const localToken = 'l'.repeat(43)
    const served = { node, verbs: [choresVerbs(chores.engine)], panels: [choresPanel(chores.engine)] }
    const server = await serveHttp(served, { localToken })
    const all = connect(server.url, localToken)
    const TokenC = t.type({ token: t.string })
    /** Asks as the holder of a new token, and says what became of it. */
    const holder = async (name: string, ...permissions: readonly string[]) => {
      const made = TokenC.decode(await all.request('POST', '/tokens', { body: { name, permissions } }))
      if (isLeft(made)) throw new Error('no token was made')
      const client = connect(server.url, made.right.token)
      const outcome = (asked: Promise<unknown>): Promise<string> =>
        asked.then(
          () => 'done',
          (error: unknown) => (error instanceof CarillonError ? error.code : String(error)),
        )
      return {
        does: (verb: string, words: object) =>
          outcome(client.request('POST', `/verbs/chores/${verb}`, { body: { words } })),
        looks: () => outcome(client.request('GET', '/panels/chores')),
        starts: () => outcome(client.request('POST', '/panels/chores/actions/start', { body: { row: chore } })),
      }
    }
    try {
      const auditor = await holder('auditor', 'chores:view')
      const caretaker = await holder('caretaker', 'chores:manage')
      const strangers = [await holder('stranger', 'view', 'operate'), await holder('other', 'tasks:manage')]
      const { head } = node
      const given: Readonly<Record<string, string>> = {
        ...{ chore, seconds: '60', instant: '2026-01-06T00:00Z', type: chore, title: 'x', reason: 'x', last: '1' },
      }
      for (const { description } of verbs) {
        const words = Object.fromEntries(
          [...description.arguments, ...description.options].map(({ name }) => [name, given[name]]),
        )
        for (const stranger of strangers)
          expect(await stranger.does(description.name, words), description.name).to.equal('permission-missing')
        const asAuditor = await auditor.does(description.name, words)
        expect(asAuditor, description.name).to.equal(description.live ? 'done' : 'permission-missing')
        if (description.live) expect(await caretaker.does(description.name, words)).to.equal('done')
      }
      for (const stranger of strangers) expect(await stranger.looks()).to.equal('permission-missing')
      for (const each of [auditor, caretaker]) expect(await each.looks()).to.equal('done')
      expect(await auditor.starts()).to.equal('permission-missing')
      expect(node.head).to.deep.equal(head)
      expect(await caretaker.does('interval', { chore, seconds: '60' })).to.equal('done')
      expect(await caretaker.starts()).to.equal('done')
      const entries = await chores.engine.getRunLog(chore)
      expect(entries.slice(1).map(({ kind, text, by }) => [kind, text, by])).to.deep.equal([
        ['control', 'interval', 'http:caretaker@127.0.0.1'],
        ['control', 'start', 'http:caretaker@127.0.0.1'],
        ['run-started', null, 'http:caretaker@127.0.0.1'],
      ])
    } finally {
      await server.close()
    }
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
