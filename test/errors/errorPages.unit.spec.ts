import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { catalogue } from '../../src/errors/catalogue.js'
import type { Consequence } from '../../src/errors/Consequence.js'

const folder = new URL('../../docs/errors/', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8')

const entries = Object.entries(catalogue) as readonly [
  code: string,
  entry: { readonly consequence: Consequence; readonly title: string },
][]

/** The parts of a page: what comes before the first section under '', and each section under its heading. */
const sectionsOf = (page: string): ReadonlyMap<string, string> => {
  const [opening = '', ...sections] = page.split(/^## /m)
  return new Map([
    ['', opening.trim()],
    ...sections.map((section): [string, string] => {
      const [heading = '', ...lines] = section.split('\n')
      return [heading.trim(), lines.join('\n').trim()]
    }),
  ])
}

const headings = ['', 'Why', 'What to do', 'Consequence', 'Example']

describe('The error pages', () => {
  it('are one for each code of the catalogue, and no others', () => {
    const pages = readdirSync(folder).filter((file) => file !== 'README.md')
    expect(pages.sort()).to.deep.equal(entries.map(([code]) => `${code}.md`).sort())
  })

  for (const [code, { consequence, title }] of entries) {
    it(`say what ${code} is, why it happens, what to do, what follows, and how it reads`, () => {
      const sections = sectionsOf(read(`${code}.md`))
      expect([...sections.keys()]).to.deep.equal(headings)
      const [heading, said, ...rest] = sections.get('')!.split('\n\n')
      expect(heading).to.equal(`# ${code}`)
      expect(said).to.equal(`${title}.`)
      expect(rest.join(' ').length, 'what happened').to.be.greaterThan(25)
      expect(sections.get('Why')!, 'causes, as a list').to.match(/^- /)
      expect(sections.get('What to do')!.length).to.be.greaterThan(25)
      expect(sections.get('Consequence')!).to.match(new RegExp(`^\`${consequence}\`: `))
      expect(sections.get('Example')!).to.match(/^```text\n.+\n```$/s)
    })
  }

  it('are all in the index, in the order of the catalogue, with title and consequence', () => {
    const rows = entries.map(([code, { consequence, title }]) => [`[${code}](${code}.md)`, title, consequence])
    const indexed = read('README.md')
      .split('\n')
      .filter((line) => line.startsWith('| ['))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
    expect(indexed).to.deep.equal(rows)
  })
})
