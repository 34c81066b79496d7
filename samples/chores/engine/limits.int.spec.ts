import { expect } from 'chai'
import { instant } from 'carillon'
import { ChoreStand } from '../test/ChoreStand.js'
import { refusalOf } from '../test/refusalOf.js'
import { simpleChore, standWith } from '../test/simpleChore.js'
import { choreLimits, continueIn, done } from './index.js'

describe('what cannot be a chore', () => {
  const bad = [0, -1, 0.5, NaN, Infinity, choreLimits.longestSeconds + 1]

  it('is refused when it is registered', async () => {
    const stand = await standWith(() => () => done)
    const { engine } = stand
    for (const seconds of bad)
      for (const field of ['defaultIntervalSeconds', 'defaultMaxIntervalSeconds', 'defaultTaskTimeoutSeconds'])
        expect(
          await refusalOf(() => engine.registerChore(simpleChore('new', () => done, { [field]: seconds }))),
        ).to.match(/^ChoreRefused: .* is a whole number of seconds, at least 1 and at most 3155760000/)
    for (const [field, value] of [
      ['id', ''],
      ['id', ' '],
      ['name', ''],
      ['name', 'x'.repeat(201)],
      ['id', '\ud800'],
      ['id', 'two\nlines'],
      ['id', 'chore '],
      ['name', 'a\u0000b'],
    ] as const)
      expect(await refusalOf(() => engine.registerChore(simpleChore('new', () => done, { [field]: value })))).to.match(
        /^ChoreRefused: The (id|name) of a chore/,
      )
    for (const [field, value] of [
      ['countFrom', 'now'],
      ['conduct', undefined],
    ] as const)
      expect(await refusalOf(() => engine.registerChore(simpleChore('new', () => done, { [field]: value })))).to.match(
        /^ChoreRefused: (Runs are counted from|The conductor of a chore is a function)/,
      )
    engine.registerChore(
      simpleChore('slow', () => done, {
        defaultIntervalSeconds: choreLimits.longestSeconds,
        defaultTaskTimeoutSeconds: choreLimits.longestSeconds,
      }),
    )
    for (const [choreId, name] of [
      ['', 'x'],
      [' ', 'x'],
      ['x', ''],
      ['x', ' '],
    ] as const)
      expect(await refusalOf(() => engine.createInstance('chore', { choreId, name }))).to.contain('is not empty')
    expect(await refusalOf(() => engine.control('chore', { verb: 'rename', name: ' ' }))).to.contain('is not empty')
  })

  it('is refused when it is set', async () => {
    const stand = await standWith(() => () => done)
    for (const seconds of [0, -1, choreLimits.longestSeconds + 1]) {
      expect(await refusalOf(() => stand.engine.control('chore', { verb: 'interval', seconds }))).to.contain(
        'An interval is a whole',
      )
      expect(await refusalOf(() => stand.engine.control('chore', { verb: 'timeout', seconds }))).to.contain(
        'A task timeout is a',
      )
      const maxSeconds = seconds
      expect(
        await refusalOf(() => stand.engine.control('chore', { verb: 'interval', seconds: 60, maxSeconds })),
      ).to.contain('A maximum is a')
    }
    const far = instant('2126-06-01T00:00:00.000Z')
    expect(await refusalOf(() => stand.engine.control('chore', { verb: 'schedule', at: far }))).to.contain(
      'at most 100 years away',
    )
    await stand.engine.control('chore', { verb: 'enable' })
    expect(await refusalOf(() => stand.engine.control('chore', { verb: 'next-run', at: far }))).to.contain(
      'at most 100 years away',
    )
    for (const seconds of [1.5, NaN, Infinity])
      for (const verb of ['interval', 'timeout'] as const)
        expect(await refusalOf(() => stand.engine.control('chore', { verb, seconds }))).to.contain('is a whole number')
    await stand.engine.control('chore', { verb: 'interval', seconds: choreLimits.longestSeconds })
    expect(await stand.engine.getStatus('chore')).to.include({ intervalSeconds: choreLimits.longestSeconds })
  })
})

describe('a circuit breaker', () => {
  it('opens, however long its reason is and whatever it is made of', async () => {
    const stand = await standWith(() => () => continueIn(60))
    for (const [reason, kept] of [
      ['r'.repeat(300_000), /^Circuit breaker: r{2000}… \(300000 characters\)$/],
      ['half a \ud800', /^Circuit breaker: half a \ufffd$/],
    ] as const) {
      await stand.engine.control('chore', { verb: 'start' })
      await stand.engine.control('chore', { verb: 'break', reason })
      expect(await stand.engine.getStatus('chore')).to.include({ circuitBroken: true, conductorStatus: 'Idle' })
      expect((await stand.engine.getStatus('chore'))?.lastError).to.match(kept)
    }
  })
})

describe('a chore whose next run cannot happen', () => {
  it('is stopped, and says so, when it would lie beyond the calendar', async () => {
    const stand = await ChoreStand.open({
      start: instant('9999-12-31T23:00:00.000Z'),
      chores: (engine) => {
        engine.registerChore(simpleChore('chore', () => done, { defaultIntervalSeconds: 1_800 }))
      },
    })
    await stand.engine.control('chore', { verb: 'enable' })
    await stand.advance({ minutes: 59 })
    const status = await stand.engine.getStatus('chore')
    expect(status).to.include({
      lifecycle: 'Stopped',
      schedulerStatus: 'Idle',
      nextScheduledRunAt: null,
      totalRunCount: 1,
    })
    expect(status?.lastError).to.contain('beyond the calendar')
    expect(await refusalOf(() => stand.engine.control('chore', { verb: 'start' }))).to.contain('beyond the calendar')
  })

  it('is shown as stopped, with the reason, while an operator holds its activity back', async () => {
    const stand = await standWith(() => () => done)
    await stand.engine.control('chore', { verb: 'enable' })
    const [next] = (await stand.node.agenda()).items
    await stand.node.pause(next!.ref, { by: 'cli:ada', note: 'the pipe is being mended' })
    const held = {
      lifecycle: 'Stopped',
      schedulerStatus: 'Idle',
      held: 'cli:ada holds it back: the pipe is being mended.',
    }
    expect(await stand.engine.getStatus('chore')).to.include(held)
    await stand.restart()
    expect(await stand.engine.getStatus('chore')).to.include(held)
    await stand.node.resume(next!.ref, { by: 'cli:ada' })
    expect(await stand.engine.getStatus('chore')).to.include({ lifecycle: 'Running', schedulerStatus: 'Scheduled' })
  })
})

describe('the controls of a paused chore, and of one without a definition', () => {
  it('pause ends what was triggered while it was paused', async () => {
    const stand = await standWith(() => () => continueIn(10))
    await stand.engine.control('chore', { verb: 'start' })
    await stand.engine.control('chore', { verb: 'pause' })
    await stand.engine.control('chore', { verb: 'trigger' })
    await stand.advance({ seconds: 5 })
    expect(await stand.engine.getStatus('chore')).to.include({ lifecycle: 'Paused', conductorStatus: 'Polling' })
    await stand.engine.control('chore', { verb: 'pause' })
    expect(await stand.engine.getStatus('chore')).to.include({ lifecycle: 'Paused', conductorStatus: 'Idle' })
  })

  it('start on a running chore books anew and begins no second run; disable lets the run under way end', async () => {
    const stand = await standWith(
      () =>
        ({ invocationCount }) =>
          invocationCount < 2 ? continueIn(10) : done,
    )
    await stand.engine.control('chore', { verb: 'start' })
    await stand.advance({ seconds: 5 })
    const before = await stand.engine.getStatus('chore')
    await stand.engine.control('chore', { verb: 'start' })
    const after = await stand.engine.getStatus('chore')
    expect(after?.conductorStartedAt).to.equal(before?.conductorStartedAt)
    expect(after?.nextScheduledRunAt).to.not.equal(before?.nextScheduledRunAt)
    await stand.engine.control('chore', { verb: 'disable' })
    await stand.advance({ hours: 2 })
    expect(await stand.engine.getStatus('chore')).to.include({ lifecycle: 'Stopped', totalSuccessCount: 1 })
  })

  it('delete takes a chore whose definition is gone, once it is stopped', async () => {
    let isDefined = true
    const stand = await ChoreStand.open({
      chores: (engine) => {
        engine.registerChore(simpleChore('chore'))
        if (isDefined) engine.registerChore(simpleChore('old'))
      },
    })
    await stand.engine.control('old', { verb: 'enable' })
    isDefined = false
    await stand.restart()
    await stand.advance({ hours: 1 })
    expect(await stand.engine.getStatus('old')).to.include({ conductorStatus: 'Idle', totalFailureCount: 1 })
    expect(await refusalOf(() => stand.engine.control('old', { verb: 'delete' }))).to.contain('must be stopped')
    await stand.engine.control('old', { verb: 'stop' })
    await stand.engine.control('old', { verb: 'delete' })
    expect((await stand.engine.getAllStatuses()).map(({ choreId }) => choreId)).to.deep.equal(['chore'])
  })
})
