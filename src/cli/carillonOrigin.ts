/**
 * Where this Carillon came from, so that an app can be made that uses the same one: a file that `npm pack` has made, or a
 * registry. npm writes down where it has a package from, beside the packages.
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { CarillonError } from '../errors/CarillonError.js'
import { readPackage } from './packageFile.js'

/** A packed file, or a version that a registry has. */
export type CarillonOrigin = { readonly tarball: string } | { readonly version: string }

const LockC = t.type({ packages: t.record(t.string, t.partial({ resolved: t.string, link: t.boolean })) })

const packageFolder = fileURLToPath(new URL('../../', import.meta.url))

const refuse = (why: string): never => {
  throw new CarillonError('usage', why)
}

const packed = (file: string, otherwise: string): CarillonOrigin =>
  existsSync(file) ? { tarball: file } : refuse(otherwise)

const given = (text: string): CarillonOrigin => {
  if (/^[~^]?\d+\.\d+/.test(text)) return { version: text }
  const file = resolve(text)
  return packed(file, `There is no file ${file}. Give the file that "npm pack" has made, or a version.`)
}

const name = 'the file that "npm pack" has made: carillon new <name> --package <file>'

/** What npm has written down about the package in this folder of packages. */
const installed = (modules: string): CarillonOrigin => {
  const lock = join(modules, '.package-lock.json')
  const decoded = existsSync(lock) ? LockC.decode(JSON.parse(readFileSync(lock, 'utf8'))) : undefined
  const entry = decoded === undefined || isLeft(decoded) ? undefined : decoded.right.packages['node_modules/carillon']
  const from = entry?.resolved
  if (from === undefined || entry?.link === true)
    return refuse(`Where this Carillon came from is not known. Name ${name}`)
  if (!from.startsWith('file:')) return { version: `^${readPackage().version}` }
  const file = resolve(dirname(modules), from.slice('file:'.length))
  return packed(file, `This Carillon was installed from ${file}, which is no longer there. Name ${name}`)
}

export const carillonOrigin = (text?: string, folder = packageFolder): CarillonOrigin => {
  if (text !== undefined) return given(text)
  const modules = dirname(folder)
  if (basename(modules) === 'node_modules') return installed(modules)
  const file = join(folder, `carillon-${readPackage().version}.tgz`)
  return packed(
    file,
    `This is a clone, and an app needs a package. Make one with "npm pack" in ${folder}, and try again.`,
  )
}
