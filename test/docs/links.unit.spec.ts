import { expect } from 'chai'
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { allPages, repository, type Link, type Page } from './pages.js'

const pages = new Map(allPages().map((page) => [page.path, page]))

/** What is wrong with a link; undefined when it leads somewhere. */
const faultOf = (page: Page, { target }: Link): string | undefined => {
  if (/^[a-z]+:/.test(target)) return undefined
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page.path : normalize(join(dirname(page.path), path)).replaceAll('\\', '/')
  if (!existsSync(join(repository, file))) return `there is no ${file}`
  if (anchor !== undefined && pages.get(file)?.anchors.has(anchor) === false) return `${file} has no heading #${anchor}`
  return undefined
}

describe('the pages of the documentation', () => {
  it('link only to what is there', () => {
    const faults = [...pages.values()].flatMap((page) =>
      page.links.flatMap((link) => {
        const fault = faultOf(page, link)
        return fault === undefined ? [] : [`${page.path}:${link.line}: ${link.target}: ${fault}`]
      }),
    )
    expect(faults).to.deep.equal([])
  })

  it('can all be reached from the front page of the documentation', () => {
    const reached = new Set<string>()
    const follow = (path: string): void => {
      const page = pages.get(path)
      if (page === undefined || reached.has(path)) return
      reached.add(path)
      for (const { target } of page.links) {
        const [file = ''] = target.split('#')
        follow(normalize(join(dirname(path), file)).replaceAll('\\', '/'))
      }
    }
    follow('docs/README.md')
    const ours = [...pages.keys()].filter((path) => path.startsWith('docs/') && !path.startsWith('docs/errors/'))
    expect(ours.filter((path) => !reached.has(path))).to.deep.equal([])
  })
})
