import { expect } from 'chai'
import { allPages, type Page } from './pages.js'

const isRow = (line: string): boolean => /^\|.*\|$/.test(line)
const isRule = (line: string): boolean => /^\|[\s:|-]+\|$/.test(line)

/** Rows below the heading of a table in which a cell says nothing. */
const emptyCells = ({ path, text }: Pick<Page, 'path' | 'text'>): readonly string[] =>
  text.split('\n').flatMap((line, index, lines) => {
    const isBody = isRow(line) && !isRule(line) && !isRule(lines[index + 1] ?? '')
    if (!isBody) return []
    const cells = line.slice(1, -1).split(/(?<!\\)\|/)
    return cells.some((cell) => cell.trim() === '') ? [`${path}:${index + 1}: ${line}`] : []
  })

describe('the tables of the documentation', () => {
  it('have no cell that says nothing', () => {
    expect(allPages().flatMap(emptyCells)).to.deep.equal([])
  })

  it('are found wanting where a cell is empty, and the corner above the rows is none', () => {
    const table = (row: string): string => ['|   | what |', '| - | ---- |', row].join('\n')
    expect(emptyCells({ path: 'a.md', text: table('| b | c |') })).to.deep.equal([])
    expect(emptyCells({ path: 'a.md', text: table('| b |   |') })).to.have.lengthOf(1)
  })
})
