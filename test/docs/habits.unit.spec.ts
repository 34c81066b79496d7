/** What this repository tells those who work on it and those who publish it. */
import { expect } from 'chai'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { repository } from './pages.js'

const read = (file: string): string => readFileSync(join(repository, file), 'utf8')

type Manifest = {
  readonly version: string
  readonly homepage?: string
  readonly engines: { readonly node: string }
  readonly repository?: { readonly url: string }
  readonly bugs?: { readonly url: string }
  readonly scripts: Readonly<Record<string, string>>
}
type Step = { readonly uses?: string; readonly run?: string; readonly with?: Readonly<Record<string, unknown>> }
type Job = {
  readonly steps: readonly Step[]
  readonly 'timeout-minutes'?: number
  readonly 'runs-on': string
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> }
}
type Workflow = { readonly permissions?: object; readonly jobs: Readonly<Record<string, Job>> }

const manifest = JSON.parse(read('package.json')) as Manifest
const folder = '.github/workflows'
const workflows = new Map(
  readdirSync(join(repository, folder)).map((file) => [file, parse(read(join(folder, file))) as Workflow]),
)
const jobs = [...workflows].flatMap(([file, { jobs: named }]) =>
  Object.entries(named).map(([name, job]) => ({ where: `${file}: ${name}`, job })),
)

describe('The workflows', () => {
  it('test every supported major version of Node.js on Linux, and look at macOS and Windows', () => {
    const { linux, smoke } = workflows.get('test.yml')!.jobs
    expect(linux?.strategy?.matrix['node']).to.deep.equal([20, 22, 24])
    expect(manifest.engines.node, 'the oldest of them').to.match(/^>=20\./)
    expect(linux?.steps.map(({ run }) => run)).to.include('.ci/run')
    expect(smoke?.strategy?.matrix['os']).to.deep.equal(['macos-latest', 'windows-latest'])
  })

  for (const { where, job } of jobs) {
    it(`are bounded in time and in what they may do: ${where}`, () => {
      expect(job['timeout-minutes']).to.be.a('number')
      expect(workflows.get(where.split(':')[0]!)?.permissions).to.deep.equal({ contents: 'read' })
      for (const { uses, with: given } of job.steps)
        if (uses?.startsWith('actions/checkout@') === true) expect(given?.['persist-credentials']).to.equal(false)
    })

    it(`run scripts that exist, by actions of a version: ${where}`, () => {
      for (const { uses, run = '' } of job.steps) {
        if (uses !== undefined) expect(uses).to.match(/@v\d+$/)
        for (const [, script = ''] of run.matchAll(/npm run (?:--silent )?([\w:-]+)/g))
          expect(manifest.scripts, run).to.have.property(script)
      }
    })
  }

  it('publish only what all tests have passed, with provenance', () => {
    const { publish } = workflows.get('release.yml')!.jobs
    const runs = publish!.steps.flatMap(({ run }) => run ?? [])
    expect(publish!.permissions).to.include({ 'id-token': 'write' })
    expect(runs.indexOf('.ci/run')).to.be.greaterThan(-1)
    expect(runs.indexOf('.ci/run')).to.be.lessThan(runs.findIndex((run) => run.startsWith('npm publish --provenance')))
  })
})

/** Where the address of the repository stands. */
type Places = {
  readonly manifest: Pick<Manifest, 'homepage' | 'repository' | 'bugs'>
  readonly links: readonly string[]
  readonly owners: string
}
const places: Places = {
  manifest,
  links: (
    (
      parse(read('.github/ISSUE_TEMPLATE/config.yml')) as {
        readonly contact_links?: readonly { readonly url: string }[]
      }
    ).contact_links ?? []
  ).map(({ url }) => url),
  owners: read('.github/CODEOWNERS'),
}

/** The places that say something else than `repository` does. While it says nothing, nor may they. */
const disagreeing = ({ manifest: { repository: named, homepage, bugs }, links, owners }: Places): readonly string[] => {
  const [, address, owner] = /^git\+(https:\/\/github\.com\/([\w-]+)\/[\w-]+)\.git$/.exec(named?.url ?? '') ?? []
  const expected = (path: string): string | undefined => (address === undefined ? undefined : `${address}${path}`)
  const teams = [...owners.matchAll(/@([\w-]+)\//g)].map(([, organisation]) => organisation)
  return Object.entries({
    repository: (named === undefined) === (address === undefined),
    homepage: homepage === expected('#readme'),
    bugs: bugs?.url === expected('/issues'),
    links: links.join(' ') === (expected('/security/advisories/new') ?? ''),
    owners: teams.every((organisation) => organisation === owner),
  }).flatMap(([place, agrees]) => (agrees ? [] : [place]))
}

describe('The address of the repository', () => {
  it('is one wherever it is named, and is named nowhere before it is known', () => {
    expect(disagreeing(places)).to.deep.equal([])
  })

  it('is judged so', () => {
    const address = 'https://github.com/bells/tower'
    const known: Places = {
      manifest: {
        repository: { url: `git+${address}.git` },
        homepage: `${address}#readme`,
        bugs: { url: `${address}/issues` },
      },
      links: [`${address}/security/advisories/new`],
      owners: '* @bells/ringers',
    }
    expect(disagreeing(known)).to.deep.equal([])
    expect(disagreeing({ ...known, owners: '* @others/ringers' })).to.deep.equal(['owners'])
    expect(disagreeing({ ...known, manifest: {} })).to.deep.equal(['links', 'owners'])
    expect(disagreeing({ ...known, links: [] })).to.deep.equal(['links'])
  })

  it('is followed by code owners of folders that exist', () => {
    const paths = read('.github/CODEOWNERS')
      .split('\n')
      .flatMap((line) => (line.startsWith('/') ? [line.split(/\s/)[0]!] : []))
    expect(paths).not.to.be.empty
    for (const path of paths) expect(existsSync(join(repository, path)), path).to.equal(true)
  })
})

describe('The changelog', () => {
  const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']
  const headings = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)

  it('begins with what is unreleased, and has a section with a day for each version, the newest first', () => {
    const [first, ...versions] = headings
    expect(first).to.equal('Unreleased')
    const named = versions.map((heading) => /^(\d+\.\d+\.\d+), (\d{4}-\d{2}-\d{2})$/.exec(heading))
    expect(named, versions.join(' | ')).not.to.include(null)
    expect(named[0]?.[1], 'the version of package.json').to.equal(manifest.version)
    const days = named.map((found) => found?.[2] ?? '')
    expect(days).to.deep.equal([...days].sort().reverse())
  })

  it('sorts what changed into the kinds of Keep a Changelog', () => {
    for (const [, kind] of read('CHANGELOG.md').matchAll(/^### (.*)$/gm)) expect(kinds).to.include(kind)
  })
})
