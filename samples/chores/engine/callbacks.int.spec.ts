import { expect } from 'chai'
import { Held } from '../test/Held.js'
import { conductOne, standWith } from '../test/simpleChore.js'
import { choreLimits, continueIn, done, failed, type ConductorAction } from './index.js'

/** What code without types may return or throw. */
const anything = (value: unknown): never => value as never

const textless: unknown = Object.create(null)
const hostile = {
  get kind(): string {
    throw new Error('no kind for you')
  },
}

const returned: readonly (readonly [name: string, value: unknown, error: RegExp])[] = [
  ['nothing', undefined, /returned nothing the engine knows/],
  ['null', null, /returned nothing the engine knows/],
  ['a word', 'Done', /returned nothing the engine knows/],
  ['an unknown kind', { kind: 'Perhaps' }, /unknown kind "Perhaps"/],
  ['a kind that is no text', { kind: textless }, /returned nothing the engine knows/],
  ['a kind of 200 kB', { kind: 'k'.repeat(200_000) }, /unknown kind "k{100}"/],
  ['a value that throws when it is read', hostile, /threw: no kind for you/],
  ['an error without a text', { kind: 'Error' }, /It did not say why/],
  ['an error of 200 kB', failed('e'.repeat(200_000)), /^e{2000}… \(200000 characters\)$/],
  ['an error that is no text', { kind: 'Error', text: 7 }, /It did not say why/],
  ['an error of half a character', failed('\ud800'), /^\ufffd$/],
]

const thrown: readonly (readonly [name: string, value: unknown, error: RegExp])[] = [
  ['an Error without a text', new Error(), /threw: Error without a message/],
  ['an Error of 200 kB', new Error('e'.repeat(200_000)), /threw: e{2000}… \(200000 characters\)/],
  ['undefined', undefined, /threw: undefined/],
  ['what cannot be turned into text', textless, /threw: It did not say why/],
  ['a symbol', Symbol('why'), /threw: Symbol\(why\)/],
]

const waits: readonly (readonly [name: string, value: unknown, error: RegExp])[] = [
  ...[Number.MAX_SAFE_INTEGER, choreLimits.longestSeconds + 1, Infinity, NaN, -1, 1.5, '10', undefined, textless].map(
    (seconds) =>
      [`a wait of ${typeof seconds} seconds`, { kind: 'ContinueIn', seconds }, /asked to continue in/] as const,
  ),
]

describe('a conductor', () => {
  const lives = async (conduct: () => ConductorAction, error: RegExp): Promise<void> => {
    const stand = await standWith(() => conduct)
    await stand.engine.control('chore', { verb: 'start' })
    await stand.quiet()
    const status = await stand.engine.getStatus('chore')
    expect(status).to.include({ conductorStatus: 'Idle', totalRunCount: 1, totalFailureCount: 1, lifecycle: 'Running' })
    expect(status?.lastError).to.match(error)
    const [last] = (await stand.engine.getRunLog('chore')).slice(-1)
    expect(last).to.include({ kind: 'run-failed', why: status?.lastError })
    await stand.advance({ hours: 1 })
    expect(await stand.engine.getStatus('chore')).to.include({ totalRunCount: 2 })
    await stand.stop()
  }

  for (const [name, value, error] of [...returned, ...waits])
    it(`fails its run when it returns ${name}, and is called again at the next`, () =>
      lives(() => anything(value), error))

  for (const [name, value, error] of thrown)
    it(`fails its run when it throws ${name}, and is called again at the next`, () =>
      lives(() => {
        throw value
      }, error))

  it('fails its run when the task it asks for has no id, or none that could be kept', async () => {
    for (const taskId of ['', ' ', 'x'.repeat(300_000), '\ud800'])
      await standWith((engine) => ({ choreId }) => {
        engine.setPendingTask(choreId, taskId, () => done)
        return continueIn(1)
      }).then(async (stand) => {
        await stand.engine.control('chore', { verb: 'trigger' })
        await stand.quiet()
        const status = await stand.engine.getStatus('chore')
        expect(status).to.include({ conductorStatus: 'Idle', totalFailureCount: 1 })
        expect(status?.lastError).to.match(/^Conductor threw: The id of a task/)
      })
  })

  it('fails its run when it has not returned after an hour', async () => {
    const stand = await standWith(() => () => new Held<ConductorAction>().promise)
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ minutes: 59 })
    expect(await stand.engine.getStatus('chore')).to.include({ conductorStatus: 'Running', totalRunCount: 0 })
    await stand.advance({ minutes: 2 })
    const status = await stand.engine.getStatus('chore')
    expect(status).to.include({ conductorStatus: 'Idle', totalFailureCount: 1 })
    expect(status?.lastError).to.contain('took longer than 3600000 ms')
  })
})

describe('a task', () => {
  for (const [name, value, error] of returned)
    it(`fails when it returns ${name}, and the log says why`, async () => {
      const stand = await standWith((engine) => conductOne(engine, 'work', () => anything(value)))
      await stand.engine.control('chore', { verb: 'trigger' })
      await stand.advance({ seconds: 10 })
      const status = await stand.engine.getStatus('chore')
      expect(status).to.include({ totalSuccessCount: 1, lastTaskSucceeded: false, taskStatus: 'Idle' })
      expect(status?.lastTaskError).to.match(error)
      expect(status?.lastFailedTask).to.deep.include({ taskId: 'work', error: status?.lastTaskError, run: 1 })
      const entry = (await stand.engine.getRunLog('chore')).find(({ kind }) => kind === 'task-failed')
      expect(entry).to.include({ text: 'work', why: status?.lastTaskError })
      await stand.stop()
    })

  for (const [name, value, error] of thrown)
    it(`fails when it throws ${name}`, async () => {
      const stand = await standWith((engine) =>
        conductOne(engine, 'work', () => {
          throw value
        }),
      )
      await stand.engine.control('chore', { verb: 'trigger' })
      await stand.advance({ seconds: 10 })
      expect((await stand.engine.getStatus('chore'))?.lastTaskError).to.match(error)
      await stand.stop()
    })

  it('that failed is still shown when others have succeeded since, with its run', async () => {
    let failing = true
    const stand = await standWith((engine) =>
      conductOne(engine, 'work', () => (failing ? failed('the pipe is blocked') : done)),
    )
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 10 })
    failing = false
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 10 })
    const status = await stand.engine.getStatus('chore')
    expect(status).to.include({ lastTaskSucceeded: true, totalSuccessCount: 2, conductorInvocationCount: 2 })
    expect(status?.lastFailedTask).to.deep.include({ taskId: 'work', error: 'the pipe is blocked', run: 1 })
    await stand.restart()
    expect((await stand.engine.getStatus('chore'))?.lastFailedTask).to.deep.equal(status?.lastFailedTask)
  })
})
