import { expect } from 'chai'
import fc from 'fast-check'
import { columnsOf, fit, table, type PrintedColumn } from './table.js'

type Row = { readonly id: string; readonly text: string; readonly note: string }
const columns: readonly PrintedColumn<Row>[] = [
  { header: 'ID', cell: ({ id }) => id },
  { header: 'TEXT', cell: ({ text }) => text, flexible: true },
  { header: 'NOTE', cell: ({ note }) => note, flexible: true },
]
const plain = (width: number) => ({ width, tone: (_: string, text: string) => text })

describe('a table', () => {
  it('lines its columns up and leaves out those that are empty', () => {
    const rows = [
      { id: '1', text: 'one', note: '' },
      { id: '22', text: 'two', note: '' },
    ]
    expect(table(columns, rows, plain(Infinity))).to.deep.equal(['ID  TEXT', '1   one', '22  two'])
  })

  it('never writes what would act on a terminal', () => {
    const [, line] = table(columns, [{ id: '1', text: '\u001b[2J\n\u009b31m\u202e', note: '' }], plain(Infinity))
    expect(line).to.equal(String.raw`1   \u001b[2J\u000a\u009b31m\u202e`)
  })

  it('fits the width as long as its flexible columns can give way', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            id: fc.stringMatching(/^[a-z]{1,8}$/),
            text: fc.string({ unit: 'grapheme' }),
            note: fc.string(),
          }),
        ),
        fc.integer({ min: 30, max: 120 }),
        (rows, width) => {
          for (const line of table(columns, rows, plain(width))) expect(columnsOf(line)).to.be.at.most(width)
        },
      ),
    )
  })

  it('cuts a text with an ellipsis, counting wide characters twice', () => {
    expect(fit('abcdef', 6)).to.equal('abcdef')
    expect(fit('abcdef', 5)).to.equal('abcd…')
    expect(fit('鐘鐘鐘', 5)).to.equal('鐘鐘…')
    expect(fit('鐘鐘鐘', 4)).to.equal('鐘…')
  })

  it('leaves out what it can spare before it breaks a row into lines', () => {
    const spare: readonly PrintedColumn<Row>[] = columns.map((column) => ({
      ...column,
      spare: column.header === 'NOTE',
    }))
    const rows = [{ id: '123456789', text: 'a longer text', note: 'and a note' }]
    expect(table(spare, rows, plain(20))).to.deep.equal(['ID         TEXT', '123456789  a longer…'])
    expect(table(spare, rows, plain(14))).to.deep.equal(['ID    1234567…', 'TEXT  a longe…'])
  })
})
