/** What the pages show passes the rules that they tell readers to turn on. */
import { expect } from 'chai'
import { Linter } from 'eslint'
import { parser } from 'typescript-eslint'
import plugin from '../../src/lint/plugin.js'
import { allPages, readPage } from './pages.js'

describe('the lint rules in the documentation', () => {
  it('find nothing in the code of the pages', () => {
    const linter = new Linter()
    const config = [{ files: ['**/*.ts'], languageOptions: { parser } }, plugin.configs.recommended] as Linter.Config[]
    // Samples are linted where they are; their READMEs may show a part of them.
    const pages = allPages().filter(({ path }) => !path.startsWith('samples/'))
    const found = pages.flatMap(({ path, blocks }) =>
      blocks
        .filter(({ language }) => language === 'ts')
        .flatMap(({ text, line: first }) =>
          linter
            .verify(text, config, { filename: 'page.ts' })
            .map(({ line, message }) => `${path}:${first + line - 1}: ${message}`),
        ),
    )
    expect(found).to.deep.equal([])
  })

  it('are all on their page', () => {
    const { text } = readPage('docs/how-to/lint-flows.md')
    const named = [...text.matchAll(/^\| `carillon\/([a-z-]+)`/gm)].map(([, name]) => name)
    expect(named).to.have.members(Object.keys(plugin.rules))
  })
})
