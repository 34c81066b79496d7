/**
 * A folder of recorded logs: exports, and beside each, where somebody has noted it, what its views answered.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import * as t from 'io-ts'
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeWith } from '../../encoding/decode.js'
import { CarillonError } from '../../errors/CarillonError.js'

const isExport = (name: string): boolean => /\.ndjson(\.gz)?$/.test(name)

/** What stands in `<log>.answers.json`. */
const AnswersC = t.strict({ answersDigest: t.string })

/** A recorded log of a folder. */
export type RecordedLog = {
  /** The path within the folder, without its ending: what to call it. */
  readonly name: string
  readonly file: string
  /** What its views answered when it was recorded, if that was noted. */
  readonly answersDigest?: string
}

/** The file that notes what the views of a recorded log answer. */
export const answersFile = (file: string): string => file.replace(/\.ndjson(\.gz)?$/, '.answers.json')

const noted = (file: string): { readonly answersDigest?: string } => {
  const notes = answersFile(file)
  if (!existsSync(notes)) return {}
  const decoded = decodeWith(AnswersC, JSON.parse(readFileSync(notes, 'utf8')))
  if (isLeft(decoded))
    throw new CarillonError('import-invalid', `${notes} cannot be read: ${decoded.left.join('; ')}.`, { file: notes })
  return decoded.right
}

/** Every recorded log in a folder and below it, by name. A single file is a folder of one. */
export const recordedLogs = (folder: string): readonly RecordedLog[] => {
  if (isExport(folder) && existsSync(folder)) return [{ name: basename(folder), file: folder, ...noted(folder) }]
  if (!existsSync(folder))
    throw new CarillonError('import-invalid', `There is no folder ${folder} with recorded logs.`, { file: folder })
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isExport)
    .map((path) => join(folder, path))
    .sort()
  if (found.length === 0)
    throw new CarillonError(
      'import-invalid',
      `${folder} holds no recorded log. Make one with "carillon log export <file>.ndjson".`,
      { file: folder },
    )
  return found.map((file) => ({
    name: relative(folder, file)
      .replaceAll('\\', '/')
      .replace(/\.ndjson(\.gz)?$/, ''),
    file,
    ...noted(file),
  }))
}
