/** Labels and progress texts are for people: rewording them changes nothing for flows that are under way. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineFlow, IntegerC, type App, type FlowBody, type FlowId, type FlowIo } from '../../src/index.js'
import { rewordLabels } from './rewordLabels.js'
import { appOf, crashAndRestart, flowOf, Note, startVirtual, statusOf, writeNote } from './ledgerOfNotes.js'
import { tickStoreOf } from '../../src/storage/OpenStore.js'

const Inner = defineFlow({
  name: 'notes/Inner',
  input: t.strict({ n: IntegerC }),
  *run(io, { n }): FlowBody<number> {
    yield* io.now()
    return n
  },
})

/** Asks for one operation of each kind that a flow can use by itself, then waits in one of two ways. */
const worker = (wording: (text: string) => string, waits: (io: FlowIo) => FlowBody<unknown>) =>
  function* (io: FlowIo): FlowBody<string> {
    yield* io.progress(wording('begun'))
    const id = yield* io.newId()
    const ref = yield* writeNote(io, `note of ${io.flowId}`)
    yield* io.lock(ref)
    yield* io.load(Note, ref)
    yield* io.query(Note, { limit: 10 })
    yield* io.queryPage(Note, { limit: 5 })
    yield* io.unlock(ref)
    yield* io.killFlowOf(ref)
    yield* io.step('charge', () => 'charged')
    yield* io.subFlow(Inner, { n: 1 })
    yield* io.progress(wording('half done'))
    yield* waits(io)
    yield* io.progress(wording('almost done'))
    yield* io.sleepUntil(yield* io.now())
    return id
  }

const appWith = (wording: (text: string) => string, isReady: () => boolean): App =>
  appOf([
    Inner,
    flowOf(
      worker(wording, (io) => io.sleep({ days: 1 })),
      'notes/Sleeps',
    ),
    flowOf(
      worker(wording, (io) =>
        io.step('ask', () => {
          if (!isReady()) throw new Error('not yet')
          return 'answered'
        }),
      ),
      'notes/Asks',
    ),
  ])

describe('Flows that are suspended while labels and progress texts are reworded', () => {
  const rewordings: Readonly<Record<string, (kind: string) => string>> = {
    'another text': (kind) => `${kind}, in other words`,
    'no text at all, since making it fails': () => {
      throw new Error('no words')
    },
  }

  for (const development of [false, true])
    for (const [what, label] of Object.entries(rewordings))
      it(`go on after a restart: ${what}, ${development ? 'on a development node' : 'in production'}`, async () => {
        let isReady = false
        const app = (wording: (text: string) => string): App => appWith(wording, () => isReady)
        const virtual = await startVirtual(
          app((text) => text),
          { development },
        )
        const ids: FlowId[] = []
        for (const name of ['notes/Sleeps', 'notes/Asks']) ids.push((await virtual.node.startByName(name, {})).id)
        await virtual.advanceBy({ milliseconds: 500 })
        const records = await Promise.all(ids.map(async (id) => (await virtual.node.flow(id))?.record ?? []))
        for (const record of records) expect(record.length).to.be.greaterThan(12)
        const restore = rewordLabels(label)
        try {
          isReady = true
          const node = await crashAndRestart(
            virtual,
            app((text) => `${text}!`),
          )
          await virtual.advanceBy({ days: 1 })
          for (const [index, id] of ids.entries()) {
            expect(await statusOf(node, id)).to.equal('completed')
            const flow = await node.flow(id)
            expect(flow?.progress).to.equal('almost done!')
            const before = records[index] ?? []
            expect(flow?.record.slice(0, before.length), 'what was recorded stays as it was').to.deep.equal(before)
            const newest = flow?.record.at(-1)
            expect(newest?.label).to.equal(what === 'another text' ? 'sleepUntil, in other words' : undefined)
          }
        } finally {
          restore()
        }
        await virtual.stop()
      })

  it('go on when their record has lost every label', async () => {
    const virtual = await startVirtual(
      appWith(
        (text) => text,
        () => true,
      ),
    )
    const { id } = await virtual.node.startByName('notes/Sleeps', {})
    await virtual.runUntilQuiet()
    await virtual.crash()
    tickStoreOf(virtual.store).reader.exec(`UPDATE flow_records SET operation = json_remove(operation, '$.label')`)
    const node = await virtual.restart()
    expect((await node.flow(id))?.record[0]).to.not.have.property('label')
    await virtual.advanceBy({ days: 1 })
    expect(await statusOf(node, id)).to.equal('completed')
    await virtual.stop()
  })
})
