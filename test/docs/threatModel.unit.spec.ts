/** The threat model names a test behind each promise; each of them must be there. */
import { expect } from 'chai'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './pages.js'

const page = readFileSync(join(repository, 'docs/explanation/threat-model.md'), 'utf8')

/** The attackers that the page speaks of, each with what it says. */
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [title = '', ...lines] = section.split('\n')
    return { title, lines }
  })

const attackers = [
  'A member of the network',
  'A counterparty',
  'A client without a token',
  'A client with a token',
  'Another user of the machine',
  "Who can write to the log's database",
  "Who can write to the store's folder",
  'Who holds a backup',
  'A web page',
]

/** What a spec promises, by the titles of its cases; what a title fills in stands as three dots. */
const titlesIn = (file: string): ReadonlySet<string> => {
  const text = readFileSync(join(repository, file), 'utf8')
  const found = text.matchAll(/\b(?:it|asAdministrator)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs)
  return new Set([...found].map(([, , title = '']) => title.replaceAll(/\$\{[^}]*\}/g, '…').replaceAll(/\\(.)/g, '$1')))
}

const rowsOf = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => line.startsWith('| ') && !/^\| (promised|-)/.test(line))

describe('The threat model', () => {
  it('speaks of every kind of attacker, with what is promised and what is not', () => {
    expect(sections.map(({ title }) => title)).to.deep.equal(attackers)
    for (const { title, lines } of sections) {
      expect(rowsOf(lines).length, title).to.be.at.least(5)
      expect(lines.join('\n'), title).to.contain('**Not promised.** ')
    }
  })

  for (const { title, lines } of sections)
    it(`names tests that are there: ${title}`, () => {
      for (const row of rowsOf(lines)) {
        const [, file = '', named = ''] = /\| `([^`]+\.spec\.ts)`: "(.+)" +\|$/.exec(row) ?? []
        expect(file, row).not.to.equal('')
        expect(existsSync(join(repository, file)), file).to.equal(true)
        expect([...titlesIn(file)], `${file} has no such test`).to.include(named)
      }
    })

  it('is where SECURITY.md leads to', () => {
    expect(readFileSync(join(repository, 'SECURITY.md'), 'utf8')).to.contain('docs/explanation/threat-model.md')
  })
})
