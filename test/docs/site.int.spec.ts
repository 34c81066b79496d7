import { expect } from 'chai'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSite } from '../../scripts/docsSite/buildSite.js'
import { allPages, repository } from './pages.js'

describe('the documentation site', function () {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-site-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('has every page, the reference of the public names, a search, and no link that leads nowhere', () => {
    const paths = allPages().map(({ path }) => path)
    const { pages, broken } = buildSite({ repository, folder, pages: paths })
    expect(broken).to.deep.equal([])
    expect(pages).to.be.greaterThan(paths.length)
    const page = (path: string): string => readFileSync(join(folder, path), 'utf8')
    expect(page('docs/errors/flow-diverged.html')).to.contain('<h1 id=')
    expect(page('docs/api/carillon.html')).to.match(/<h2 id="startnode">startNode<\/h2>\s*<p>Starts a node\./)
    expect(page('docs/tutorial/01-first-state.html'), 'code is coloured').to.contain('<span class="word">import</span>')
    expect(page('searchIndex.js')).to.contain('"url":"docs/api/carillon.html#startnode"')
    expect(existsSync(join(folder, 'docs/pictures/overview.png'))).to.equal(true)
    const list = page('llms.txt')
    expect(list).to.match(/^# Carillon\n\n> Carillon is .*\n\n## Start\n/)
    const named = [...list.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, to = '']) => to)
    expect(new Set(named).size, 'each page once').to.equal(named.length)
    expect(named.filter((to) => !existsSync(join(folder, to)))).to.deep.equal([])
    expect(named.length).to.be.at.least(paths.length)
    const whole = page('llms-full.txt')
    for (const path of paths) expect(whole, path).to.contain(readFileSync(join(repository, path), 'utf8').trim())
    expect(whole, 'the public names').to.contain('## startNode\n')
    expect(page('index.html'), 'nothing from elsewhere').not.to.match(/(src|href)="https?:[^"]*\.(js|css)"/)
  })
})
