import { expect } from 'chai'
import fc from 'fast-check'
import { sha256 } from '../../src/encoding/hash.js'
import { storageLimits } from '../../src/storage/limits.js'
import { emptyHead } from '../../src/log/Tick.js'
import { openDatabase } from '../../src/storage/sqlite/openDatabase.js'
import type { ActivityRow } from '../../src/agenda/ActivityRow.js'
import type { Database } from '../../src/storage/Database.js'
import { StoredViews, viewsSchema } from '../../src/storage/StoredViews.js'

const instants = fc.integer({ min: 0, max: 30 })
const walks = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('insert' as const), atMs: instants }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('move' as const), which: fc.nat(), atMs: fc.option(instants) }),
    },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('due' as const), nowMs: instants, taken: fc.nat(5) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('next', 'commit', 'rollback') }) },
  ),
  { maxLength: 60 },
)

/** The views of a node that begins a tick whenever one has ended. */
class Ticking {
  readonly #db: Database = openDatabase(':memory:')
  readonly views: StoredViews

  constructor() {
    this.#db.exec(viewsSchema)
    this.views = new StoredViews(this.#db)
    this.#db.exec('BEGIN')
  }

  commit(): void {
    this.views.closeTick(emptyHead, 0)
    this.#db.exec('COMMIT; BEGIN')
    this.views.committed()
  }

  rollback(): void {
    this.#db.exec('ROLLBACK')
    this.views.rolledBack()
    this.#db.exec('BEGIN')
  }

  close(): void {
    this.#db.close()
  }

  /** Adds a state that acts at an instant, the only output of a transaction of its own. */
  insert(actsAtMs: number | null): ActivityRow {
    const { transactions, states, kinds } = this.views
    const seq = transactions.nextSeq
    const id = sha256(String(seq))
    transactions.insert({
      seq,
      id,
      revision: 0,
      tick: 1,
      atMs: 0,
      firstState: states.nextSeq,
      outputs: 1,
      notary: null,
    })
    const row = states.insert({
      seq: states.nextSeq,
      transactionSeq: seq,
      ref: { transaction: id, index: 0 },
      kind: kinds.of({ type: 'test/Thing', version: 1, contract: { name: 'test/Thing', version: 1 } }),
      notary: null,
      text: '{}',
      relevant: true,
      participants: '',
      key: null,
      fromRevision: 0,
    })
    row.standing = 'scheduled'
    row.dueMs = actsAtMs
    row.actsAtMs = actsAtMs
    states.touch(row)
    return row
  }

  move(seq: number, actsAtMs: number | null): void {
    const row = this.views.states.get(seq)
    row.actsAtMs = actsAtMs
    this.views.states.progress(row)
  }

  /** What a node that asks now would start, in order. */
  due(nowMs: number): readonly number[] {
    const isDue = ({ actsAtMs }: ActivityRow): boolean => actsAtMs !== null && actsAtMs <= nowMs
    return this.views.states
      .due(nowMs, 100)
      .filter(isDue)
      .map(({ seq }) => seq)
  }
}

describe('the rows of the vault', () => {
  let node: Ticking
  beforeEach(() => {
    node = new Ticking()
  })
  afterEach(() => {
    node.close()
  })

  it('are due in the order of their instants, whatever is added, moved or taken back, and however the clock steps', () => {
    fc.assert(
      fc.property(walks, (walk) => {
        const fresh = new Ticking()
        let stands = new Map<number, number | null>()
        let now = new Map<number, number | null>()
        const dueNow = (nowMs: number): readonly number[] =>
          [...now]
            .filter(([, atMs]) => atMs !== null && atMs <= nowMs)
            .sort(([a, aMs], [b, bMs]) => (aMs ?? 0) - (bMs ?? 0) || a - b)
            .map(([seq]) => seq)
        const move = (seq: number, atMs: number | null): void => {
          fresh.move(seq, atMs)
          now.set(seq, atMs)
        }
        for (const step of walk) {
          switch (step.kind) {
            case 'insert':
              now.set(fresh.insert(step.atMs).seq, step.atMs)
              break
            case 'move': {
              const seq = [...now.keys()][step.which % Math.max(now.size, 1)]
              if (seq !== undefined) move(seq, step.atMs)
              break
            }
            case 'due': {
              const expected = dueNow(step.nowMs)
              const found = fresh.due(step.nowMs)
              // Some may be left for the next question, but none that comes before one of these.
              expect(found).to.deep.equal(expected.slice(0, found.length))
              expect(found.length === 0).to.equal(expected.length === 0)
              for (const seq of found.slice(0, step.taken)) move(seq, null)
              break
            }
            case 'next': {
              const nextMs = Math.min(...[...now.values()].map((atMs) => atMs ?? Number.POSITIVE_INFINITY))
              expect(fresh.views.states.nextDueMs() ?? Number.POSITIVE_INFINITY).to.equal(nextMs)
              break
            }
            case 'commit':
              fresh.commit()
              stands = new Map(now)
              break
            case 'rollback':
              fresh.rollback()
              now = new Map(stands)
          }
        }
        fresh.close()
      }),
      { numRuns: 50 },
    )
  })

  it('do not gather in memory once what was due has had its turn', () => {
    const { states } = node.views
    const only = node.insert(1)
    node.commit()
    expect(node.due(1)).to.deep.equal([only.seq])
    node.move(only.seq, null)
    node.commit()
    expect(states.nextDueMs()).to.equal(undefined)
    for (let count = 0; count <= storageLimits.rowsKept; count++) node.insert(null)
    node.commit()
    expect(states.get(only.seq), 'read anew, because it was let go').not.to.equal(only)
  })

  it('do not gather in memory while what is due may not start', () => {
    const { states } = node.views
    const waiting = node.insert(1)
    node.commit()
    expect(node.due(1)).to.deep.equal([waiting.seq])
    const passing = node.insert(null)
    for (let tick = 1; tick <= 2; tick++) {
      for (let count = 0; count <= storageLimits.rowsKept; count++) node.insert(null)
      node.commit()
    }
    expect(states.get(passing.seq), 'read anew, because it was let go').not.to.equal(passing)
    expect(states.due(1, 1)[0], 'the one that waits is still the very one').to.equal(waiting)
    expect(states.get(waiting.seq)).to.equal(waiting)
  })

  it('stay for the tick after the one that made them, and as long as each tick asks for them', () => {
    const { states } = node.views
    node.insert(1)
    node.commit()
    expect(node.due(1)).to.have.length(1)
    const asked = node.insert(null)
    for (let tick = 1; tick <= 3; tick++) {
      for (let count = 0; count <= storageLimits.rowsKept; count++) node.insert(null)
      expect(states.get(asked.seq)).to.equal(asked)
      expect(states.find(asked.ref)).to.equal(asked)
      node.commit()
    }
  })
})
