/** What callers of flows are given: results, typed errors as values, and an end of their waiting. */
import { expect } from 'chai'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { CarillonError, defineFlow, type FlowBody } from '../../src/index.js'
import { appOf, expectAlive, flowOf, refusal, startVirtual, textsOf, WriteNote } from './ledgerOfNotes.js'

const Fails = flowOf(function* (io): FlowBody<number> {
  yield* io.now()
  throw new CarillonError('notes/no', 'Not today.', { day: 'Monday' })
}, 'notes/Fails')

describe('node.tryRun', () => {
  it('starts the flow when the task is called, and gives what it returns', async () => {
    const virtual = await startVirtual(appOf([]))
    const task = virtual.node.tryRun(WriteNote, { text: 'tried' })
    expect(await textsOf(virtual.node)).to.deep.equal([])
    expect(isLeft(await task())).to.equal(false)
    expect(await textsOf(virtual.node)).to.deep.equal(['tried'])
    await virtual.stop()
  })

  it('gives the typed error of a flow that failed, with its stack, and composes', async () => {
    const virtual = await startVirtual(appOf([Fails]))
    const failed = await virtual.node.tryRun(Fails, {})()
    expect(isLeft(failed) && failed.left)
      .to.be.instanceOf(CarillonError)
      .and.to.include({ code: 'notes/no' })
    expect(isLeft(failed) && failed.left.stack).to.match(/callers\.int\.spec\.ts:\d+:\d+/)
    const handled = pipe(
      virtual.node.tryRun(Fails, {}),
      TE.orElseW(({ code }) => TE.right(code)),
    )
    expect(await handled()).to.deep.equal(right('notes/no'))
    await virtual.stop()
  })

  it('never rejects: not for a wrong input, an input that throws, an unknown flow, nor a node that has stopped', async () => {
    const hostile = new t.Type<string, string>('hostile', t.string.is, t.string.validate, () => {
      throw new TypeError('cannot be encoded')
    })
    const Odd = defineFlow({
      name: 'notes/OddInput',
      input: hostile,
      *run(io): FlowBody<void> {
        yield* io.now()
      },
    })
    const virtual = await startVirtual(appOf([Odd]))
    const { node } = virtual
    const codeOf = async (task: TE.TaskEither<CarillonError, unknown>): Promise<string> => {
      const tried = await task()
      return isLeft(tried) ? tried.left.code : 'it was done'
    }
    expect(await codeOf(node.tryRun(WriteNote, { text: 7 as unknown as string }))).to.equal('flow-input-invalid')
    expect(await codeOf(node.tryRun(Odd, 'x'))).to.equal('flow-input-invalid')
    expect(await codeOf(node.tryRun(Fails, {}))).to.equal('flow-unknown')
    await virtual.stop()
    expect(await codeOf(node.tryRun(WriteNote, { text: 'late' }))).to.equal('node-stopped')
  })
})

describe('node.resultOf with a signal', () => {
  const Sleeps = flowOf(function* (io): FlowBody<string> {
    yield* io.sleep({ hours: 1 })
    return 'awake'
  }, 'notes/Sleeps')

  it('rejects as aborted, before and while it waits, with the reason; the flow goes on', async () => {
    const virtual = await startVirtual(appOf([Sleeps]))
    const { id } = await virtual.node.start(Sleeps, {})
    const reason = new Error('no longer of interest')
    const before = await refusal(virtual.node.resultOf(id, { signal: AbortSignal.abort(reason) }), 'wait-aborted')
    expect(before.cause).to.equal(reason)
    const controller = new AbortController()
    const waiting = refusal(virtual.node.resultOf(id, { signal: controller.signal }), 'wait-aborted')
    while (virtual.node.waitingCallers === 0) await new Promise((resolve) => setImmediate(resolve))
    controller.abort(reason)
    expect((await waiting).cause).to.equal(reason)
    expect(virtual.node.waitingCallers).to.equal(0)
    await virtual.advanceBy({ hours: 1 })
    expect(await virtual.node.resultOf(id)).to.equal('awake')
    const ended = await refusal(virtual.node.resultOf(id, { signal: AbortSignal.abort() }), 'wait-aborted')
    expect(ended.message).to.contain(id)
    await expectAlive(virtual)
    await virtual.stop()
  })
})
