import { expect } from 'chai'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { commandStart, programStart } from '../../samples/shared/test/builtPackage.js'
import { dropSchema, postgresUrl } from '../postgres/testDatabase.js'
import { allPages, repository } from './pages.js'
import { layOut, placeOf, programsOf, type Source } from './project.js'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carillon-docs-')))
// Samples are compiled and tested where they are; their READMEs may show a part of them.
const sources = layOut(
  folder,
  allPages().filter(({ path }) => !path.startsWith('samples/')),
)

const typeErrorsOf = (files: readonly Source[]): readonly string[] => {
  const compilerOptions = {
    incremental: false,
    tsBuildInfoFile: null,
    typeRoots: [join(repository, 'node_modules/@types')],
  }
  const config = { extends: join(repository, 'tsconfig.json'), compilerOptions, include: [], exclude: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, files: files.map(({ file }) => file) }))
  const tsc = join(repository, 'node_modules/typescript-native/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '--pretty', 'false', '-p', folder], {
    cwd: folder,
    encoding: 'utf8',
  })
  const errors = stdout.split('\n').filter((line) => line.includes('error TS'))
  if (status !== 0 && errors.length === 0) return [`tsc ended with ${status}: ${stdout}`]
  return errors.map((error) => {
    const [, path = '', line = '1', message = error] = /^(\S+)\((\d+),\d+\): (.*)$/.exec(error) ?? []
    const source = files.find(({ file }) => file === resolve(folder, path))
    return source === undefined ? error : `${placeOf(source, Number(line) - 1)}: ${message}`
  })
}

/** Runs a program in this process, which costs no start of Node, and gives what it printed. */
const outputOf = async ({ file }: Source): Promise<string> => {
  const printed: string[] = []
  const real = console.log
  const home = process.cwd()
  // A store that a page names lies in the folder of the page.
  process.chdir(dirname(file))
  console.log = (...values: readonly unknown[]) => {
    printed.push(values.map(String).join(' '))
  }
  try {
    await import(pathToFileURL(file).href)
  } finally {
    console.log = real
    process.chdir(home)
  }
  return printed.join('\n')
}

/** What a page shows, where `…` stands for whatever differs from run to run. */
const patternOf = (expected: string): RegExp =>
  new RegExp(
    `^${expected
      .split('…')
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('[^\\n]*')}$`,
  )

/** The apps that pages have simulated from the command line, each once a page, and where they do. */
const simulated = allPages().flatMap((page) => {
  const named = page.blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text, line }) =>
      [...text.matchAll(/^npx carillon simulate (\S+)/gm)].map(([, name = '']) => ({ name, line })),
    )
  return named.flatMap(({ name, line }, index) => {
    if (named.findIndex((other) => other.name === name) < index) return []
    return [
      {
        name,
        where: `${page.path}:${line}`,
        source: sources.find((one) => one.page.path === page.path && one.name === name),
      },
    ]
  })
})

describe('the code in the documentation', () => {
  before(async () => {
    // The database that pages write their reports to, as a reader would name it.
    process.env['REPORTS_URL'] = await postgresUrl()
    await dropSchema(await postgresUrl(), 'shop_report')
  })
  after(async () => {
    await dropSchema(await postgresUrl(), 'shop_report')
    delete process.env['REPORTS_URL']
    rmSync(folder, { recursive: true, force: true })
  })

  it('compiles as strictly as our own', function () {
    expect(typeErrorsOf(sources)).to.deep.equal([])
  })

  it('has at least one app simulated from the command line', () => {
    expect(simulated.map(({ name }) => name)).to.include('visits.ts')
  })

  for (const { name, where, source } of simulated)
    it(`${where}: carillon simulate ${name} finds nothing wrong`, async () => {
      // As the page has it, but for fewer and shorter histories.
      const args = [...commandStart, 'simulate', source?.file ?? name, '--seeds', '2', '--actions', '6']
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: repository })
      expect(stdout).to.include('every invariant held')
    })

  for (const source of programsOf(sources)) {
    const where = placeOf(source, 0)
    if (source.name.endsWith('.test.ts'))
      it(`${where} passes`, async function () {
        const args = [...programStart, '--test', source.file]
        await promisify(execFile)(process.execPath, args, { cwd: repository })
      })
    else
      it(`${where} runs${source.expected === undefined ? '' : ' and prints what the page shows'}`, async () => {
        const printed = await outputOf(source)
        if (source.expected === undefined) return
        // A failed comparison shows both texts; a failed pattern alone would not show where they differ.
        if (!patternOf(source.expected).test(printed)) expect(printed).to.equal(source.expected)
      })
  }
})
