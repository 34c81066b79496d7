/**
 * A new app in a folder of its own: the files of a template, with the app's name, the versions that this version of
 * Carillon was tested with, and the Carillon that it was made from.
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CarillonError } from '../errors/CarillonError.js'
import { storeFailure } from '../storage/sqlite/storeFailure.js'
import { carillonOrigin, type CarillonOrigin } from './carillonOrigin.js'
import { readPackage } from './packageFile.js'

const templates = fileURLToPath(new URL('../cli/template/', import.meta.url))

/** Carries no meaning for any tool, so that neither npm nor the compiler takes the template for the real thing. */
const suffix = '.template'

/** What differs between the templates in the files that all of them have. */
const kinds = {
  deadline: {
    summary: 'a state with a deadline',
    start: 'carillon run {{name}}.ts',
    place: '--store',
    folder: 'data/',
    volume: '{{name}}',
  },
  recurring: {
    summary: 'work that repeats',
    start: 'carillon run {{name}}.ts',
    place: '--store',
    folder: 'data/',
    volume: '{{name}}',
  },
  parties: {
    summary: 'two parties and a notary',
    start:
      'carillon network new network --parties Alice,Bob --notary Notary --unless-there && carillon network run network --app {{name}}.ts',
    place: '--network',
    folder: 'network/',
    volume: './network/Alice',
  },
} as const

export type Template = keyof typeof kinds
export const templateNames = ['deadline', 'recurring', 'parties'] as const satisfies readonly Template[]
export const summaryOf = (template: Template): string => kinds[template].summary

export type NewAppOptions = {
  /** Default `deadline`. */
  readonly template?: Template
  /** The Carillon of the app: a packed file or a version. Default: the one that this is. */
  readonly carillon?: string
  /** Default: that of this process. */
  readonly nodeVersion?: string
}

/** A name that can be a folder, a package, an app and the first part of a state's type alike. */
const pattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const longestName = 64
const taken: ReadonlySet<string> = new Set(['carillon', 'node-modules', 'test', 'src', 'data', 'network'])

const assertFree = (folder: string): void => {
  if (!existsSync(folder)) return
  const found = readdirSync(folder)
  if (found.length > 0)
    throw new CarillonError(
      'folder-not-empty',
      `${folder} already holds ${found.slice(0, 3).join(', ')}${found.length > 3 ? ' and more' : ''}. Choose another name, or empty the folder first.`,
      { folder },
    )
}

const assertName = (name: string): void => {
  if (!pattern.test(name) || name.length > longestName || taken.has(name))
    throw new CarillonError(
      'usage',
      `"${name}" cannot name an app. Use small letters, digits and single dashes, beginning with a letter, as in water-plants.`,
      { name },
    )
}

const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{\{([^{}]+)\}\}/g, (_, key: string) => {
    const value = values[key]
    if (value === undefined) throw new CarillonError('invariant-broken', `The template asks for an unknown {{${key}}}.`)
    return fill(value, values)
  })

const valuesOf = (name: string, template: Template, origin: CarillonOrigin): Readonly<Record<string, string>> => {
  const { dependencies, devDependencies } = readPackage()
  const file = 'tarball' in origin ? basename(origin.tarball) : undefined
  return {
    ...devDependencies,
    ...dependencies,
    ...kinds[template],
    name,
    carillon: 'version' in origin ? origin.version : `file:${basename(origin.tarball)}`,
    tarball: file === undefined ? '' : `${file} `,
  }
}

/** Before 22.13 Node.js has no SQLite that can be used, and the embedded store needs a driver. */
const needsDriver = (nodeVersion: string): boolean => {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  return major < 22 || (major === 22 && minor < 13)
}

type Manifest = {
  readonly dependencies: Readonly<Record<string, string>>
  readonly allowScripts: Readonly<Record<string, boolean>>
}

const withDriver = (manifest: string): string => {
  const read = JSON.parse(manifest) as Manifest
  const dependencies = { 'better-sqlite3': readPackage().devDependencies['better-sqlite3'], ...read.dependencies }
  const allowScripts = { 'better-sqlite3': true, ...read.allowScripts }
  return `${JSON.stringify({ ...read, dependencies, allowScripts }, null, 2)}\n`
}

/** npm leaves a real .gitignore out of a package, so the template has such files without their dot. */
const finalName = (file: string, name: string): string =>
  file
    .slice(0, -suffix.length)
    .replace(/^(git|docker)ignore$/, '.$1ignore')
    .replace('NAME', name)

/** Makes the app and returns the paths of its files within the folder. */
export const newApp = (
  name: string,
  within: string,
  { template = 'deadline', carillon, nodeVersion = process.versions.node }: NewAppOptions = {},
): { readonly folder: string; readonly files: readonly string[] } => {
  assertName(name)
  const origin = carillonOrigin(carillon)
  const values = valuesOf(name, template, origin)
  const folder = resolve(within, name)
  try {
    assertFree(folder)
    mkdirSync(folder, { recursive: true })
    for (const part of ['all', template]) cpSync(join(templates, part), folder, { recursive: true })
    for (const file of readdirSync(folder)) {
      const path = join(folder, file)
      writeFileSync(path, fill(readFileSync(path, 'utf8'), values))
      renameSync(path, join(folder, finalName(file, name)))
    }
    const manifest = join(folder, 'package.json')
    if (needsDriver(nodeVersion)) writeFileSync(manifest, withDriver(readFileSync(manifest, 'utf8')))
    if ('tarball' in origin) copyFileSync(origin.tarball, join(folder, basename(origin.tarball)))
    return { folder, files: readdirSync(folder).sort() }
  } catch (error) {
    throw storeFailure(error, folder)
  }
}
