/** The files of docs/production, as far as they can be judged without Docker: that they name what there is. */
import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { parse } from 'yaml'
import { makeProgram } from '../../src/cli/program.js'
import { repository } from './pages.js'

const read = (file: string): string => readFileSync(join(repository, 'docs/production', file), 'utf8')

type Service = {
  readonly command?: readonly string[]
  readonly volumes?: readonly string[]
  readonly secrets?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly environment?: Readonly<Record<string, string>>
  readonly healthcheck?: object
}
type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: object
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

type RuleFile = { readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[] }
type RuleTests = {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[]
  }[]
}

const compose = parse(read('compose.yaml'), { merge: true }) as Compose
const services = Object.entries(compose.services)

const nowhere = {
  out: () => undefined,
  err: () => undefined,
  status: () => undefined,
  redraw: () => undefined,
  fault: () => undefined,
  width: 80,
  tone: (_tone: string, text: string) => text,
}

/** Options and verbs of a command line that the command does not have. */
const unknown = (program: Command, [verb = '', ...words]: readonly string[]): readonly string[] => {
  const command = program.commands.find((each) => each.name() === verb)
  if (command === undefined) return [verb]
  return words.filter((word) => word.startsWith('--') && !command.options.some(({ long }) => long === word))
}

describe('The files for production', () => {
  it('give the command verbs and options that it has', async () => {
    const program = await makeProgram(nowhere)
    const lists = [...read('Dockerfile').matchAll(/^(?:CMD|HEALTHCHECK .*CMD) (\[.*\])$/gm)]
      .map(([, list = '']) => JSON.parse(list) as readonly string[])
      .map((words) => (words[0]?.endsWith('/carillon') === true ? words.slice(1) : words))
    const commands = services.flatMap(([, { command }]) => (command === undefined ? [] : [command]))
    expect(lists).to.have.lengthOf(2)
    expect(commands).to.have.lengthOf(2)
    expect([...lists, ...commands].flatMap((words) => unknown(program, words))).to.deep.equal([])
    expect(unknown(program, ['run', '--nowhere'])).to.deep.equal(['--nowhere'])
  })

  it('declare every volume, secret and service that one of them uses', () => {
    for (const [name, { volumes = [], secrets = [], depends_on: needed = {} }] of services) {
      for (const volume of volumes) expect(compose.volumes, name).to.have.property(volume.split(':')[0]!)
      for (const secret of secrets) expect(compose.secrets, name).to.have.property(secret)
      for (const other of Object.keys(needed))
        expect(compose.services[other]?.healthcheck, other).not.to.equal(undefined)
    }
  })

  it('test every alert, as promtool confirms where it is installed', () => {
    const { groups } = parse(read('carillon.rules.yml')) as RuleFile
    const { tests } = parse(read('carillon.rules.test.yml')) as RuleTests
    const fired = tests
      .flatMap(({ alert_rule_test: cases = [] }) => cases)
      .filter(({ exp_alerts: expected }) => expected.length > 0)
    expect(new Set(fired.map(({ alertname }) => alertname))).to.deep.equal(
      new Set(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))),
    )
    const folder = join(repository, 'docs/production')
    const { error, status, stdout } = spawnSync('promtool', ['test', 'rules', 'carillon.rules.test.yml'], {
      cwd: folder,
      encoding: 'utf8',
    })
    // Prometheus is no package of npm: most machines of developers do not have it.
    if (error === undefined) expect(status, stdout).to.equal(0)
    else expect(error).to.have.property('code', 'ENOENT')
  })

  it('bring no secret into the image', () => {
    const ignored = read('.dockerignore').split('\n')
    expect(ignored).to.include.members(['node_modules', 'data', '*.secret'])
    for (const { file } of Object.values(compose.secrets)) expect(file).to.match(/^\.\/[^/]+\.secret$/)
    const copied = [...read('Dockerfile').matchAll(/^COPY (.*) \.\/$/gm)].flatMap(([, files = '']) => files.split(' '))
    expect(copied).to.deep.equal(['package.json', 'package-lock.json', '*.tgz', '*.ts', 'tsconfig*.json'])
    expect(read('Dockerfile').match(/^(?:COPY|ADD) /gm)).to.have.lengthOf(2)
  })

  it('give each process a folder of its own, and all of them one log', () => {
    const nodes = services.filter(([, { command }]) => command !== undefined)
    expect(new Set(nodes.map(([, { volumes }]) => volumes?.[0])).size).to.equal(nodes.length)
    expect(new Set(nodes.map(([, { environment }]) => environment?.['CARILLON_LOG'])).size).to.equal(1)
  })
})
