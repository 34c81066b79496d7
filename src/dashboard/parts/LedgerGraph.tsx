/**
 * States through transactions, left to right: a transaction is a bar, a state a box between the one that produced it and
 * the one that consumed it.
 */
import type { Graph } from '../../http/answers.js'
import { linkTo } from '../useRoute.js'
import { clock, lastName, wholeRef } from '../words.js'

const columnWidth = 190
const rowHeight = 46

/** Transactions in the order of the log are in an order that every consumption respects. */
export const LedgerGraph = ({ graph, here }: { readonly graph: Graph; readonly here: string }) => {
  const transactions = [...graph.transactions].sort((a, b) => a.revision - b.revision)
  const column = new Map(transactions.map(({ id }, index) => [String(id), index]))
  const rows = new Map<number, number>()
  const placed = graph.states.map((state) => {
    const producer = column.get(state.ref.transaction)
    const consumer = state.consumedBy === undefined ? undefined : column.get(state.consumedBy)
    const at = producer ?? (consumer ?? 0) - 1
    const row = rows.get(at) ?? 0
    rows.set(at, row + 1)
    return { state, producer, consumer, x: 60 + at * columnWidth + 34, y: 26 + row * rowHeight }
  })
  const tall = Math.max(90, 40 + Math.max(1, ...rows.values()) * rowHeight)
  const wide = Math.max(1, transactions.length) * columnWidth + 90
  const barX = (index: number): number => 60 + index * columnWidth
  return (
    <div class="graph" tabIndex={0} role="group" aria-label="States through transactions">
      <svg
        width={wide}
        height={tall}
        role="group"
        aria-label={`${transactions.length} transactions, ${placed.length} states`}
      >
        {placed.map(({ state, producer, consumer, x, y }) => (
          <g key={`line ${wholeRef(state.ref)}`} class="lines">
            {producer === undefined ? null : <path d={`M${barX(producer)},${y + 15} L${x},${y + 15}`} />}
            {consumer === undefined ? null : (
              <path
                d={`M${x + 118},${y + 15} C${x + 150},${y + 15} ${barX(consumer) - 40},${tall / 2} ${barX(consumer)},${tall / 2}`}
              />
            )}
          </g>
        ))}
        {transactions.map((transaction, index) => (
          <g key={transaction.id} class="transaction">
            <title>{`${transaction.commands.join(', ')} at ${transaction.at}`}</title>
            <rect x={barX(index) - 3} y="14" width="6" height={tall - 34} rx="3" />
            <text x={barX(index)} y={tall - 4} text-anchor="middle">
              {transaction.commands[0] === undefined ? clock(transaction.at) : lastName(transaction.commands[0])}
            </text>
          </g>
        ))}
        {placed.map(({ state, x, y }) => (
          <a key={wholeRef(state.ref)} href={linkTo('state', wholeRef(state.ref))}>
            <g class={`state ${state.consumed ? 'consumed' : ''} ${wholeRef(state.ref) === here ? 'here' : ''}`}>
              <rect x={x} y={y} width="118" height="30" rx="7" />
              <text x={x + 59} y={y + 19} text-anchor="middle">
                {lastName(state.type).slice(0, 16)}
              </text>
            </g>
          </a>
        ))}
      </svg>
    </div>
  )
}
