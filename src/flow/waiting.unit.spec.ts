/** A flow waits for a list of things; the first of them that comes lets it go on. */
import { expect } from 'chai'
import { canonicalText } from '../encoding/canonical.js'
import { decodeEvent } from '../log/decodeEvent.js'
import { encodeEvent } from '../log/encodeEvent.js'
import type { DomainEvent, EventOf, Waiting, Waits } from '../log/events.js'
import { keyPairFromSeed } from '../identity/KeyPair.js'
import type { SessionId } from '../log/SessionId.js'
import { openDatabase } from '../storage/sqlite/openDatabase.js'
import { instant, instantFromMillis, toMillis } from '../time/Instant.js'
import { StoredViews, viewsSchema } from '../storage/StoredViews.js'
import type { FlowId } from '../log/FlowId.js'
import { findFlow, listFlows } from '../storage/queries/readFlows.js'
import { countStepsUnderWay, resumeMsOf, wakeMsOf } from './waiting.js'

const atMs = toMillis(instant('2026-01-01T00:00:00.000Z'))
const after = (ms: number) => instantFromMillis(atMs + ms)
const session = 'a'.repeat(32) as SessionId
const error = { code: 'step-failed', message: 'no' }

const sleep = (ms: number, part?: string): Waiting => ({
  for: 'instant',
  kind: 'sleep',
  digest: 'd',
  until: after(ms),
  ...(part === undefined ? {} : { part }),
})
const message = (seq: number): Waiting => ({
  for: 'message',
  kind: 'receive',
  digest: 'd',
  session,
  role: 'initiator',
  seq,
})
const step: Waiting = { for: 'step', kind: 'step', digest: 'd', attempt: 1, part: '2' }
const retry = (ms: number): Waiting => ({ ...step, attempt: 2, retryAt: after(ms), error })
const turn: Waiting = { for: 'turn' }

describe('A list of waits', () => {
  it('wakes the flow at the earliest instant in it', () => {
    const wakes = (...waits: Waits) => wakeMsOf(waits, atMs)
    expect(wakes(sleep(3_000), sleep(1_000), sleep(2_000))).to.equal(atMs + 1_000)
    expect(wakes(message(0), retry(5_000), sleep(9_000))).to.equal(atMs + 5_000)
    expect(wakes(sleep(1_000), turn), 'its turn is at once').to.equal(atMs)
    expect(wakes(message(0), step), 'nothing in it has an instant').to.equal(null)
  })

  it('gives a flow that is resumed a turn at once, unless it waits for instants only', () => {
    expect(resumeMsOf([sleep(1_000), retry(500)], atMs)).to.equal(atMs + 500)
    expect(resumeMsOf([sleep(1_000), message(0)], atMs)).to.equal(atMs)
    expect(resumeMsOf([step, sleep(1_000)], atMs)).to.equal(atMs)
    expect(resumeMsOf(undefined, atMs)).to.equal(atMs)
  })

  it('knows how many steps are under way', () => {
    expect(countStepsUnderWay([step, sleep(1), step, retry(1)])).to.equal(2)
  })
})

describe('The event of a flow that waits', () => {
  const advanced = (...waiting: Waits): EventOf<'FlowAdvanced'> => ({
    type: 'FlowAdvanced',
    flow: 'f',
    operations: [{ kind: 'now', digest: 'd', part: '1.2' }],
    waiting,
  })

  it('is read back as it was written, with several waits and their parts, and without labels', () => {
    const event = advanced(sleep(1, '1.1'), message(3), retry(2), { ...turn, part: '3', label: 'its turn' })
    const line = encodeEvent(event)
    expect(line).to.equal(canonicalText(event))
    expect(decodeEvent(line, 0)).to.deep.equal(event)
  })

  it('is refused when it waits for nothing, or for one thing that is not in a list', () => {
    const text = encodeEvent(advanced(turn))
    for (const waiting of ['[]', '{"for":"turn"}'])
      expect(() => decodeEvent(text.replace('[{"for":"turn"}]', waiting), 0)).to.throw('cannot be decoded')
  })
})

describe('The views of a flow that waits for several things', () => {
  const flow = 'f'.repeat(32) as FlowId
  const party = keyPairFromSeed('1'.repeat(64)).publicKey

  const folded = (...events: readonly DomainEvent[]) => {
    const db = openDatabase(':memory:')
    db.exec(viewsSchema)
    const views = new StoredViews(db)
    const start: readonly DomainEvent[] = [
      { type: 'FlowStarted', flow, name: 'n', version: 1, input: {}, origin: { kind: 'client', by: 'me' } },
      { type: 'SessionOpened', session, role: 'initiator', party, flow },
    ]
    ;[...start, ...events].forEach((event, revision) => {
      views.fold(event, revision, atMs + revision)
    })
    views.flows.flush()
    return { views, db, row: views.flows.find(flow)! }
  }
  const advance = (...waiting: Waits): DomainEvent => ({ type: 'FlowAdvanced', flow, operations: [], waiting })
  const received = (seq: number): DomainEvent => ({
    type: 'MessageReceived',
    session,
    role: 'initiator',
    seq,
    message: { kind: 'end' },
  })

  it('wake it when a message comes that any of them is for', () => {
    const waits = advance(sleep(9_000), message(0), message(1))
    expect(folded(waits).row.wakeMs).to.equal(atMs + 9_000)
    expect(folded(waits, received(0)).row.wakeMs).to.equal(atMs + 3)
    // It may go on since the first of them.
    expect(folded(waits, received(0), received(1)).row.wakeMs).to.equal(atMs + 3)
    expect(folded(advance(sleep(9_000), message(1)), received(0)).row.wakeMs).to.equal(atMs + 9_000)
  })

  it('find its steps again after a restart, although something else has an instant', () => {
    const { views } = folded(advance(sleep(9_000), step))
    expect(views.flows.inSteps(0, 10).map(({ id }) => id)).to.deep.equal([flow])
    expect(folded(advance(sleep(9_000), retry(5))).views.flows.inSteps(0, 10)).to.deep.equal([])
  })

  it('show every wait, and list it as troubled when any of them has failed', () => {
    const { db } = folded(advance(sleep(9_000), retry(5)))
    expect(findFlow(db, flow, () => 1)?.waiting).to.deep.equal([sleep(9_000), retry(5)])
    expect(listFlows(db, { status: 'troubled' }).items.map(({ id }) => id)).to.deep.equal([flow])
    expect(listFlows(folded(advance(sleep(9_000), step)).db, { status: 'troubled' }).items).to.deep.equal([])
  })

  it('count a failed try once, as long as its wait stays the same', () => {
    const second: Waiting = { ...retry(7), part: '3' }
    const { db } = folded(advance(retry(5), step), advance(retry(5), second), advance(retry(5), second, sleep(1)))
    const troubles = findFlow(db, flow, () => 1)?.troubles.map(({ what, retryAt }) => `${what} until ${retryAt}`)
    expect(troubles).to.deep.equal([`failed a try until ${after(5)}`, `failed a try until ${after(7)}`])
  })
})
