/**
 * The blocks of a panel as lines of text: the same facts as on the dashboard, without its pictures.
 */
import { showRef } from '../ledger/StateRef.js'
import type { Block, Cell, Tone } from '../http/Panel.js'
import { factLines, type Fact } from './print.js'
import { table, type PrintedColumn } from './table.js'
import { printable, type Terminal, type TextTone } from './Terminal.js'
import { showSecond } from './words.js'

const toneOf: Readonly<Record<Tone, TextTone>> = {
  green: 'green',
  blue: 'cyan',
  amber: 'yellow',
  red: 'red',
  grey: 'dim',
}
const barLength = 24

const showCell = (cell: Cell | undefined): string => {
  if (cell === undefined || cell === null) return ''
  if (typeof cell === 'number') return cell.toLocaleString('en')
  if (typeof cell !== 'object') return String(cell)
  if ('instant' in cell) return showSecond(cell.instant)
  if ('lamp' in cell) return cell.text
  if ('share' in cell) return cell.text ?? `${Math.round(cell.share * 100)} %`
  if ('ref' in cell) return cell.text ?? showRef(cell.ref).slice(0, 12)
  return cell.text ?? cell.flow.slice(0, 12)
}

const lampOf = (cell: Cell | undefined): TextTone | undefined =>
  typeof cell === 'object' && cell !== null && 'lamp' in cell ? toneOf[cell.lamp] : undefined

type TableBlock = Extract<Block, { readonly kind: 'table' }>

const tableLines = ({ columns, rows, empty }: TableBlock, terminal: Terminal): readonly string[] => {
  if (rows.length === 0) return [printable(empty)]
  type Row = TableBlock['rows'][number]
  const shown: readonly PrintedColumn<Row>[] = [
    ...columns.map(({ key, label, align = 'left' }) => ({
      header: label.toUpperCase(),
      cell: ({ cells }: Row) => showCell(cells[key]),
      tone: ({ cells }: Row) => lampOf(cells[key]),
      align,
      flexible: align === 'left',
    })),
    // What an action is told the row by, where there is one to take.
    { header: 'KEY', cell: ({ key, actions = [] }) => (actions.length === 0 ? '' : key), tone: () => 'dim' },
    { header: 'ACTIONS', cell: ({ actions = [] }) => actions.join(' '), tone: () => 'dim' },
  ]
  return table(shown, rows, terminal)
}

const linesOf = (block: Block, terminal: Terminal): readonly string[] => {
  switch (block.kind) {
    case 'table':
      return tableLines(block, terminal)
    case 'lamps':
      if (block.lamps.length === 0) return [printable(block.empty)]
      return block.lamps.flatMap(({ key, label, tone, text, detail, facts = [], actions = [] }) => [
        `${terminal.tone(toneOf[tone], '●')} ${terminal.tone('bold', printable(label))}  ${printable(text)}${key === label ? '' : terminal.tone('dim', printable(`  (${key})`))}`,
        ...(detail === undefined ? [] : [`    ${printable(detail)}`]),
        ...factLines(
          terminal,
          [
            ...facts.map((fact): Fact => [fact.label, showCell(fact.value)]),
            ['actions', actions.length === 0 ? undefined : actions.join(' ')],
          ],
          { indent: '    ' },
        ),
      ])
    case 'timeline':
      if (block.items.length === 0) return [printable(block.empty)]
      return table(
        [
          { header: 'AT', cell: ({ at }) => showSecond(at) },
          { header: 'UNTIL', cell: ({ until }) => (until === undefined ? '' : showSecond(until)) },
          { header: 'LANE', cell: ({ lane }) => lane, flexible: true },
          { header: '', cell: ({ text }) => text, tone: ({ tone }) => toneOf[tone], flexible: true },
        ],
        block.items,
        terminal,
      )
    case 'facts':
      return factLines(
        terminal,
        block.facts.map(({ label, value }) => [label, showCell(value)]),
      )
    case 'bars': {
      if (block.bars.length === 0) return [printable(block.empty)]
      const most = Math.max(1, ...block.bars.map(({ value, of = 0 }) => Math.max(value, of)))
      return table(
        [
          { header: '', cell: ({ label }) => label, flexible: true },
          {
            header: '',
            cell: ({ value, of }) => (of === undefined ? String(value) : `${value} of ${of}`),
            align: 'right',
          },
          {
            header: '',
            cell: ({ value, of = most }) => '█'.repeat(Math.round((value / Math.max(1, of)) * barLength)),
            tone: ({ tone }) => toneOf[tone],
          },
        ],
        block.bars,
        terminal,
      ).slice(1)
    }
  }
}

export const panelLines = (blocks: readonly Block[], terminal: Terminal): readonly string[] =>
  blocks.flatMap((block, index) => [
    ...(index === 0 ? [] : ['']),
    ...(block.title === undefined ? [] : [terminal.tone('bold', printable(block.title))]),
    ...linesOf(block, terminal),
  ])
