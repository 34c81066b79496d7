/** What this repository installs, and who looks after it. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './pages.js'

const read = (file: string): string => readFileSync(join(repository, file), 'utf8')

type Manifest = {
  readonly scripts?: Readonly<Record<string, string>>
  readonly allowScripts: Readonly<Record<string, boolean>>
}
type Locked = { readonly version?: string; readonly resolved?: string }
type Lockfile = { readonly packages: Readonly<Record<string, Locked>> }

/** A key of `allowScripts`: a name, and the versions it names. */
const partsOf = (key: string): { readonly name: string; readonly versions: readonly string[] } => {
  const [, name = '', versions = ''] = /^(@?[^@]+)(?:@(.+))?$/.exec(key) ?? []
  return { name, versions: versions === '' ? [] : versions.split(' || ') }
}

for (const folder of ['.', 'bench/peers'])
  describe(`The install scripts allowed in ${folder}`, () => {
    const { allowScripts } = JSON.parse(read(`${folder}/package.json`)) as Manifest
    const { packages } = JSON.parse(read(`${folder}/package-lock.json`)) as Lockfile
    const installed = (name: string): readonly Locked[] =>
      Object.entries(packages).flatMap(([path, locked]) => (path.endsWith(`node_modules/${name}`) ? [locked] : []))

    it('are allowed by version, and by the version that is installed', () => {
      for (const [key, isAllowed] of Object.entries(allowScripts)) {
        if (!isAllowed) continue
        const { name, versions } = partsOf(key)
        const locked = installed(name)
        expect(locked, name).not.to.deep.equal([])
        expect(versions, name).to.have.members([...new Set(locked.map(({ version }) => version))])
        // npm believes a version only where the lockfile says where the package comes from.
        for (const { version = '', resolved } of locked)
          expect(resolved, `"resolved" of ${name} in ${folder}/package-lock.json`).to.equal(
            `https://registry.npmjs.org/${name}/-/${name.split('/').at(-1) ?? ''}-${version}.tgz`,
          )
      }
    })
  })

describe('The audit of dependencies', () => {
  it('is run by a workflow and not by .ci/run, which needs no network', () => {
    const { scripts = {} } = JSON.parse(read('package.json')) as Manifest
    expect(scripts['audit']).to.match(/^npm audit --omit=dev /)
    expect(read('.github/workflows/audit.yml')).to.match(/^ {6}- run: npm run audit$/m)
    expect(read('.ci/run')).not.to.contain('audit')
  })
})
