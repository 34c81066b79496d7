/**
 * The certificate and the key that HTTP is served with, read and tried before anything listens: a file that cannot be
 * used is named.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

export type TlsFiles = { readonly certFile: string; readonly keyFile: string }

const refuse = (file: string, why: string, cause?: unknown): CarillonError =>
  new CarillonError(
    'certificate-invalid',
    `HTTP cannot be served with ${file}: ${why}. Give a certificate and its key as PEM files, with --http-cert and --http-key.`,
    { file },
    cause,
  )

/** Reads a file and makes something of it; what goes wrong is told of the file. */
const used = <A>(file: string, make: (bytes: Buffer) => A): { readonly bytes: Buffer; readonly made: A } => {
  try {
    const bytes = readFileSync(file)
    return { bytes, made: make(bytes) }
  } catch (error) {
    throw refuse(file, messageOf(error), error)
  }
}

export const readTls = ({ certFile, keyFile }: TlsFiles): { readonly cert: Buffer; readonly key: Buffer } => {
  const cert = used(certFile, (bytes) => new X509Certificate(bytes))
  const key = used(keyFile, (bytes) => createPrivateKey(bytes))
  if (!cert.made.checkPrivateKey(key.made)) throw refuse(certFile, `it is not the certificate of the key in ${keyFile}`)
  return { cert: cert.bytes, key: key.bytes }
}
