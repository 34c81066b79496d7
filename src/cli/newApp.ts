/**
 * A new app in a folder of its own: the files of the template, with the app's name and the versions that this
 * version of Carillon was tested with filled in.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CarillonError } from '../errors/CarillonError.js'
import { storeFailure } from '../storage/sqlite/storeFailure.js'
import { readPackage } from './packageFile.js'

const template = fileURLToPath(new URL('../cli/template/', import.meta.url))

/** Carries no meaning for any tool, so that neither npm nor the compiler takes the template for the real thing. */
const suffix = '.template'

/** A name that can be a folder, a package, an app and the first part of a state's type alike. */
const pattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const longestName = 64
const taken: ReadonlySet<string> = new Set(['carillon', 'node-modules', 'test', 'src'])

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

const fill = (text: string, name: string): string => {
  const { version, dependencies, devDependencies } = readPackage()
  return text.replaceAll(/\{\{([^{}]+)\}\}/g, (_, key: string) => {
    const value = key === 'name' ? name : key === 'carillon' ? version : (dependencies[key] ?? devDependencies[key])
    if (value === undefined) throw new CarillonError('invariant-broken', `The template asks for an unknown {{${key}}}.`)
    return value
  })
}

/** Makes the app and returns the paths of its files within the folder. */
export const newApp = (
  name: string,
  within: string,
): { readonly folder: string; readonly files: readonly string[] } => {
  assertName(name)
  const folder = resolve(within, name)
  try {
    assertFree(folder)
    mkdirSync(folder, { recursive: true })
    cpSync(template, folder, { recursive: true })
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith(suffix))
      .map((file) => {
        const path = join(folder, file)
        writeFileSync(path, fill(readFileSync(path, 'utf8'), name))
        // npm leaves a real .gitignore out of a package, so the template has it without its dot.
        const final = file.slice(0, -suffix.length).replace('gitignore', '.gitignore').replace('NAME', name)
        renameSync(path, join(folder, final))
        return final
      })
    return { folder, files: files.sort() }
  } catch (error) {
    throw storeFailure(error, folder)
  }
}
