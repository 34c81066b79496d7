import { expect } from 'chai'
import type { Command } from 'commander'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { allPages, repository } from './pages.js'

const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { scripts: object }

type Line = { readonly where: string; readonly words: readonly string[] }

/** Commands of shell blocks, and those that the prose names in passing. */
const lines: readonly Line[] = allPages().flatMap(({ path, text, blocks }) => {
  const inBlocks = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap((block) => block.text.split('\n').map((line, index) => ({ line, at: block.line + index })))
  const inProse = text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/`((?:npx )?carillon [a-z][^`]*|npm [^`]*)`/g)].map(([, command = '']) => ({
      line: command,
      at: index + 1,
    })),
  )
  return [...inBlocks, ...inProse].flatMap(({ line, at }) =>
    line
      .replace(/ #.*$/, '')
      .split(/ && | \| /)
      .map((command) => ({ where: `${path}:${at}`, words: command.trim().split(/\s+/) })),
  )
})

const ofNpm = new Set([
  'ci',
  'install',
  'init',
  'pkg',
  'pack',
  'rebuild',
  'install-scripts',
  'version',
  'publish',
  'audit',
  'deprecate',
])

const npmFault = ([program, verb, script]: readonly string[]): string | undefined => {
  if (program !== 'npm' || verb === undefined || ofNpm.has(verb)) return undefined
  const name = verb === 'run' ? script : verb
  return name !== undefined && Object.hasOwn(scripts, name) ? undefined : `no script ${name ?? ''}`
}

/** The words after `carillon`, when a line calls it. */
const carillonWords = ([first, second, ...rest]: readonly string[]): readonly string[] | undefined => {
  if (first === 'carillon') return second === undefined ? rest : [second, ...rest]
  return first === 'npx' && second === 'carillon' ? rest : undefined
}

const carillonFault = (commands: readonly Command[], words: readonly string[]): string | undefined => {
  let among = commands
  let command: Command | undefined
  for (const word of words) {
    if (word.startsWith('<')) continue
    if (word.startsWith('--')) {
      const known = command?.options.some(({ long }) => long === word.split('=')[0])
      if (known !== true && word !== '--help') return `no option ${word}`
    } else if (among.length > 0) {
      command = among.find((candidate) => candidate.name() === word)
      if (command === undefined) return `no verb ${word}`
      among = command.commands
    }
  }
  return undefined
}

const faults = (faultOf: (words: readonly string[]) => string | undefined): readonly string[] =>
  lines.flatMap(({ where, words }) => {
    const fault = faultOf(words)
    return fault === undefined ? [] : [`${where}: ${words.join(' ')}: ${fault}`]
  })

/** Verbs of apps that pages speak of; what they are is the app's affair. */
const appVerbs: ReadonlySet<string> = new Set(['chores', 'kettles', 'tasks'])

describe('the commands in the documentation', () => {
  it('name scripts of package.json that exist', () => {
    expect(faults(npmFault)).to.deep.equal([])
  })

  it('name verbs and options that the carillon command has', async () => {
    const folder = join(repository, 'src/cli/verbs')
    const modules = await Promise.all(
      readdirSync(folder)
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
        .map((file) => import(pathToFileURL(join(folder, file)).href) as Promise<Record<string, unknown>>),
    )
    // A verb is a function of the terminal; none is written to as long as nothing is run.
    const commands = modules
      .flatMap((module) => Object.values(module))
      .filter((value) => typeof value === 'function')
      .map((verb) => (verb as (terminal: object) => Command)({}))
    expect(
      faults((words) => {
        const verbs = carillonWords(words)
        return verbs === undefined || appVerbs.has(verbs[0] ?? '') ? undefined : carillonFault(commands, verbs)
      }),
    ).to.deep.equal([])
  })
})
