/**
 * A key file: a party's private key, sealed under a passphrase or under a secret in a file beside it. The secret file
 * lets a node start with nobody at hand; keep it out of backups and repositories, and a key file that leaks alone is
 * worth nothing. Plain PEM files of earlier versions are still read.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { importKeyPair, type KeyPair } from '../identity/KeyPair.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { writeWhole } from '../storage/writeWhole.js'
import { passphraseFrom, passphraseFileVariable, passphraseVariable } from './passphrase.js'
import { openSealedKey, parseSealedKey, sealKey } from './sealKey.js'

/** How a key file is opened. */
export type KeyFileOptions = {
  /** Default: from the environment variable CARILLON_KEY_PASSPHRASE, or the file CARILLON_KEY_PASSPHRASE_FILE names. */
  readonly passphrase?: string
}

/** `node.key` has its secret in `node.secret`, and so have the key before it and the one to come. */
export const secretFileOf = (file: string): string => `${file.replace(/(-next|-retired)?\.key$/, '')}.secret`

/** For its owner alone. */
const keyMode = 0o600

const readSecret = (file: string): string => {
  try {
    const text = readFileSync(secretFileOf(file), 'utf8').trim()
    if (text !== '') return text
  } catch (error) {
    throw new CarillonError(
      'key-locked',
      `${file} is sealed with a secret that should be in ${secretFileOf(file)}, which cannot be read: ${messageOf(error)}. Put the secret back beside the key.`,
      { file },
    )
  }
  throw new CarillonError('key-locked', `${secretFileOf(file)} is empty. Put the secret back beside the key.`, { file })
}

/** The secret beside a key file; made when there is none yet. */
const secretFor = (file: string): string => {
  if (!existsSync(secretFileOf(file)))
    writeWhole(secretFileOf(file), `${randomBytes(32).toString('base64')}\n`, keyMode)
  return readSecret(file)
}

const passphraseOf = ({ passphrase }: KeyFileOptions): string | undefined => passphrase ?? passphraseFrom(process.env)

/** Seals a key into a file: under the passphrase if there is one, otherwise under a secret beside it. */
export const writeKeyFile = (file: string, key: KeyPair, options: KeyFileOptions = {}): void => {
  if (existsSync(file))
    throw new CarillonError('key-file-invalid', `${file} holds a key already, which is never overwritten.`, { file })
  const passphrase = passphraseOf(options)
  const sealed =
    passphrase === undefined ? sealKey(key, secretFor(file), 'secretFile') : sealKey(key, passphrase, 'passphrase')
  writeWhole(file, `${JSON.stringify(sealed, undefined, 2)}\n`, keyMode)
}

const readPlain = (text: string, file: string): KeyPair => {
  try {
    return importKeyPair(text)
  } catch {
    // OpenSSL's message helps nobody, and no part of a private key shall reach a log.
    throw new CarillonError(
      'key-file-invalid',
      `${file} is PEM, but holds no Ed25519 key without a passphrase. Restore it from a backup.`,
      { file },
    )
  }
}

/** The public half of the key in a file, for which nothing has to be opened; undefined when there is no sealed key. */
export const publicKeyIn = (file: string): PublicKey | undefined => {
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  return text.trimStart().startsWith('-----BEGIN') ? undefined : parseSealedKey(text, file).publicKey
}

/** Reads the key of a party from its file, sealed or plain. */
export const readKeyFile = (file: string, options: KeyFileOptions = {}): KeyPair => {
  const text = readFileSync(file, 'utf8')
  if (text.trimStart().startsWith('-----BEGIN')) return readPlain(text, file)
  const sealed = parseSealedKey(text, file)
  if (sealed.unlock === 'secretFile') return openSealedKey(sealed, readSecret(file), file)
  const passphrase = passphraseOf(options)
  if (passphrase === undefined)
    throw new CarillonError(
      'key-locked',
      `${file} is sealed with a passphrase. Give it in ${passphraseVariable}, or name a file that holds it in ${passphraseFileVariable}.`,
      { file, publicKey: sealed.publicKey },
    )
  return openSealedKey(sealed, passphrase, file)
}
