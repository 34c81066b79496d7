import { expect } from 'chai'
import fc from 'fast-check'
import type { FlowDraft } from '../../flow/FlowRow.js'
import { storageLimits } from '../limits.js'
import { UnitOfWork } from '../UnitOfWork.js'
import { WakingFlows, type WakingReader } from './WakingFlows.js'

/** The plain version: every question goes over all rows. */
const plainReader = (rows: readonly FlowDraft[]): WakingReader => {
  const waking = (): readonly FlowDraft[] =>
    rows.filter(({ wakeMs }) => wakeMs !== null).sort((a, b) => (a.wakeMs ?? 0) - (b.wakeMs ?? 0) || a.seq - b.seq)
  return {
    toWake: (nowMs, limit) =>
      waking()
        .filter(({ wakeMs }) => (wakeMs ?? 0) <= nowMs)
        .slice(0, limit),
    nextMs: () => waking()[0]?.wakeMs ?? null,
    count: (limit) => Math.min(limit, waking().length),
  }
}

const instants = fc.integer({ min: 0, max: 40 })

const walks = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('add' as const), count: fc.constantFrom(1, 2, 100), wakeMs: fc.option(instants) }),
    fc.record({ kind: fc.constant('change' as const), which: fc.nat(), wakeMs: fc.option(instants) }),
    fc.record({ kind: fc.constantFrom('wake' as const, 'next' as const), nowMs: instants }),
    fc.record({ kind: fc.constant('rollback' as const) }),
  ),
  { maxLength: 60 },
)

const flowAt = (seq: number, wakeMs: number | null): FlowDraft => ({ seq, wakeMs }) as FlowDraft

describe('The flows that are to be woken', () => {
  it('are those that a look at all rows finds, be they few or many', () => {
    fc.assert(
      fc.property(walks, (walk) => {
        const rows: FlowDraft[] = []
        const unit = new UnitOfWork()
        const plain = plainReader(rows)
        const waking = new WakingFlows(unit, plain)
        for (const move of walk)
          switch (move.kind) {
            case 'add':
              for (let each = 0; each < move.count; each++) {
                const row = flowAt(rows.length + 1, move.wakeMs)
                rows.push(row)
                waking.noteChange(row)
              }
              break
            case 'change': {
              const row = rows[move.which % Math.max(1, rows.length)]
              if (row === undefined) break
              row.wakeMs = move.wakeMs
              waking.noteChange(row)
              break
            }
            case 'wake':
              expect(waking.toWake(move.nowMs, 50)).to.deep.equal(plain.toWake(move.nowMs, 50))
              if (waking.isToWake(move.nowMs)) expect(plain.toWake(move.nowMs, 1)).to.have.length(1)
              break
            case 'next':
              expect(waking.nextMs() ?? null).to.equal(plain.nextMs())
              break
            case 'rollback':
              for (const row of rows) row.wakeMs = null
              unit.rolledBack()
              break
          }
        expect([...waking.rows()].length).to.be.at.most(storageLimits.rowsKept)
      }),
    )
  })
})
