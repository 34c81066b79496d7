import { expect } from 'chai'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import * as t from 'io-ts'
import { defineApp, startNode } from 'carillon'
import { VirtualNode } from 'carillon/testing'
import { eventCodecs } from '../../src/log/events.js'
import { allPages, readPage, repository } from './pages.js'
import { withTables, wordsOf } from './reference.js'

const emptyApp = defineApp({ name: 'nothing', states: [], flows: [] })

/** The names of a codec's members; those that may be left out have a question mark. */
const membersOf = (codec: t.Mixed): readonly string[] => {
  if (codec instanceof t.ReadonlyType || codec instanceof t.ExactType) return membersOf(codec.type as t.Mixed)
  if (codec instanceof t.IntersectionType) return (codec.types as readonly t.Mixed[]).flatMap((part) => membersOf(part))
  if (codec instanceof t.PartialType) return Object.keys(codec.props as object).map((name) => `${name}?`)
  if (codec instanceof t.InterfaceType) return Object.keys(codec.props as object)
  throw new Error(`${codec.name} is no object`)
}

/** The first column of every table row of a page, and the second. */
const rowsOf = (path: string): ReadonlyMap<string, string> =>
  new Map(
    [...readPage(path).text.matchAll(/^\| `([\w-]+)` *\| ([^|]*?) *\|/gm)].map(([, name = '', second = '']) => [
      name,
      second,
    ]),
  )

describe('the reference', () => {
  for (const page of allPages().filter(({ text }) => /<!-- from the code: [\w ]+ -->/.test(text)))
    it(`has in ${page.path} what stands in the code (UPDATE_DOCS=1 writes it)`, async () => {
      const file = join(repository, page.path)
      const fresh = await format(withTables(page.text), { ...(await resolveConfig(file)), parser: 'markdown' })
      if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(file, fresh)
      else expect(page.text).to.equal(fresh)
    })

  it('lists every event with what it carries', () => {
    const listed = rowsOf('docs/reference/events.md')
    const real = Object.entries(eventCodecs).map(([name, codec]) => [
      name,
      membersOf(codec)
        .filter((member) => member !== 'type')
        .map((member) => `\`${member}\``)
        .join(', ') || 'nothing',
    ])
    expect(Object.fromEntries(listed)).to.deep.equal(Object.fromEntries(real))
  })

  it('lists every outcome, status and cause', () => {
    const listed = new Set(rowsOf('docs/reference/outcomes.md').keys())
    const words = [
      ...wordsOf('src/flow/FlowRow.ts', 'FlowStatus'),
      ...wordsOf('src/log/events.ts', 'FlowOutcome'),
      ...wordsOf('src/log/endedAs.ts', 'EndedAs'),
      ...wordsOf('src/agenda/UnstartedRow.ts', 'UnstartedOutcome'),
      ...wordsOf('src/agenda/ActivityRow.ts', 'Standing'),
      ...wordsOf('src/flow/FlowRow.ts', 'StartCause'),
      ...wordsOf('src/errors/Consequence.ts', 'Consequence'),
    ].map(([word]) => word)
    expect(words.filter((word) => !listed.has(word))).to.deep.equal([])
    expect([...listed].filter((word) => !words.includes(word))).to.deep.equal([])
  })

  it('names the defaults that a node really has', async () => {
    const options = readPage('docs/reference/configuration.md').text
    const node = await startNode({ app: emptyApp })
    expect(options).to.contain(`Default \`${node.party.name}\``)
    await node.stop()
    const virtual = await VirtualNode.start({ app: emptyApp })
    expect(options).to.contain(`Default ${virtual.now}`)
  })
})
