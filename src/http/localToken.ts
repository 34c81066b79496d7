/**
 * The token of whoever may read the store folder: made at the first start, in a file only its owner can open.
 */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CarillonError } from '../errors/CarillonError.js'
import { idInToken, newTokenText } from './TokenText.js'

export const localTokenFile = (folder: string): string => join(folder, 'http.token')

/** The token of a store folder, and the file that remembers which sessions of the dashboard were ended there. */
export type LocalToken = { readonly text: string; readonly endedFile: string }

/** With it a browser's session outlives a restart: `serveHttp({ node }, { localToken: readLocalToken(store) })`. */
export const readLocalToken = (folder: string): LocalToken => {
  const file = localTokenFile(folder)
  if (!existsSync(file)) writeFileSync(file, `${newTokenText().text}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(file, 0o600)
  const text = readFileSync(file, 'utf8').trim()
  if (idInToken(text) === undefined)
    throw new CarillonError(
      'key-file-invalid',
      `${file} does not hold a token. Delete it, and the next start makes a new one.`,
      { file },
    )
  return { text, endedFile: join(folder, 'http.ended') }
}
