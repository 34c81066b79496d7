/** What is counted of the sessions with a party, whatever is committed and rolled back. */
import { assert, expect } from 'chai'
import fc from 'fast-check'
import type { PublicKey } from '../../identity/PublicKey.js'
import type { SessionId } from '../../log/SessionId.js'
import { openDatabase } from '../sqlite/openDatabase.js'
import { UnitOfWork } from '../UnitOfWork.js'
import { SessionTable, sessionsSchema } from './SessionTable.js'

const parties = ['ed25519:a', 'ed25519:b'] as PublicKey[]
const sessionAt = (index: number): SessionId => String(index).padStart(32, '0') as SessionId

/** A session as its budgets see it. */
type Plain = {
  readonly party: PublicKey
  readonly role: 'initiator' | 'responder'
  asked: number
  readonly unread: Map<number, number>
  closed: boolean
  over: boolean
}

const walks = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('open' as const), party: fc.nat(1), isTheirs: fc.boolean() }),
    fc.record({ kind: fc.constant('receive' as const), which: fc.nat(2), seq: fc.nat(9), bytes: fc.nat(50) }),
    fc.record({ kind: fc.constant('ask' as const), which: fc.nat(2), seq: fc.nat(9) }),
    fc.record({ kind: fc.constantFrom('close' as const, 'end' as const), which: fc.nat(2) }),
    fc.record({ kind: fc.constantFrom('commit' as const, 'rollback' as const) }),
  ),
  { minLength: 20, maxLength: 60 },
)

/** The same walk in the table and in a plain list, compared after every step. */
class Compared {
  readonly #db = openDatabase(':memory:')
  readonly #unit = new UnitOfWork()
  readonly #table: SessionTable
  #committed: readonly Plain[] = []
  #rows: Plain[] = []

  constructor() {
    this.#db.exec(sessionsSchema)
    this.#table = new SessionTable(this.#db, this.#unit)
    this.#db.exec('BEGIN')
  }

  open(party: PublicKey, role: Plain['role']): void {
    this.#table.insert({ id: sessionAt(this.#rows.length), role, party, flowSeq: 1, fromRevision: 0 })
    this.#rows.push({ party, role, asked: 0, unread: new Map(), closed: false, over: false })
  }

  change(kind: 'receive' | 'ask' | 'close' | 'end', which: number, seq = 0, bytes = 0): void {
    const plain = this.#rows[which]
    if (plain === undefined) return
    const row = this.#table.find(sessionAt(which), plain.role)
    assert(row !== undefined)
    if (kind === 'close') {
      this.#table.close(row)
      plain.closed = true
    } else if (kind === 'end') {
      this.#table.end(row)
      plain.over = true
    } else if (kind === 'receive' && !this.#table.hasArrived(row, seq)) {
      this.#table.receive(row, seq, 'x'.repeat(bytes))
      if (seq > plain.asked) plain.unread.set(seq, bytes)
    } else if (kind === 'ask' && seq > plain.asked) {
      this.#table.ask(row, seq)
      plain.asked = seq
      for (const each of plain.unread.keys()) if (each <= seq) plain.unread.delete(each)
    }
  }

  finish(kind: 'commit' | 'rollback'): void {
    if (kind === 'commit') {
      this.#unit.write()
      this.#db.exec('COMMIT; BEGIN')
      this.#unit.committed(false)
      this.#committed = this.#rows.map((row) => ({ ...row, unread: new Map(row.unread) }))
    } else {
      this.#db.exec('ROLLBACK; BEGIN')
      this.#unit.rolledBack()
      this.#rows = this.#committed.map((row) => ({ ...row, unread: new Map(row.unread) }))
    }
  }

  compare(): void {
    for (const party of parties) {
      const going = this.#rows.filter((row) => row.party === party && !row.over)
      const unread = going.flatMap((row) => [...row.unread.values()])
      expect(this.#table.openedBy(party)).to.equal(going.filter(({ role }) => role === 'responder').length)
      expect(this.#table.unreadOf(party)).to.equal(unread.reduce((sum, bytes) => sum + bytes, 0))
    }
    expect(this.#table.hasClosed()).to.equal(this.#rows.some(({ closed, over }) => closed && !over))
  }

  close(): void {
    this.#db.close()
  }
}

describe('What is counted of the sessions with a party', () => {
  it('is what a plain list would count: what is open, what is unread, and what is closed and goes on', () => {
    fc.assert(
      fc.property(walks, (walk) => {
        const sessions = new Compared()
        for (const move of walk) {
          if (move.kind === 'open') sessions.open(parties[move.party]!, move.isTheirs ? 'responder' : 'initiator')
          else if (move.kind === 'receive') sessions.change(move.kind, move.which, move.seq, move.bytes)
          else if (move.kind === 'ask') sessions.change(move.kind, move.which, move.seq)
          else if ('which' in move) sessions.change(move.kind, move.which)
          else sessions.finish(move.kind)
          sessions.compare()
        }
        sessions.close()
      }),
      { numRuns: 300 },
    )
  })
})
