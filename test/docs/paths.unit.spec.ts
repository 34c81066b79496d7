import { expect } from 'chai'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPage, repository } from './pages.js'

/** Files and folders that a page names as code, from `src` or from the top. */
const named = (path: string): readonly string[] =>
  [...readPage(path).text.matchAll(/`((?:[\w-]+\/)+(?:[\w-]+\.ts)?|\w+\.ts)`/g)].map(([, name = '']) => name)

/** What is made by a command, and kept out of the repository. */
const isMade = (name: string): boolean =>
  readFileSync(join(repository, '.gitignore'), 'utf8').split('\n').includes(name)

const isThere = (name: string): boolean =>
  isMade(name) || ['.', 'src', 'src/model'].some((folder) => existsSync(join(repository, folder, name)))

for (const page of ['docs/explanation/the-code.md', 'CONTRIBUTING.md'])
  describe(`The code that ${page} leads to`, () => {
    it('is there', () => {
      const paths = named(page)
      expect(paths.length).to.be.greaterThan(4)
      expect(paths.filter((name) => !isThere(name))).to.deep.equal([])
    })
  })
