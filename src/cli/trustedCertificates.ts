/**
 * Whom a command trusts when it talks with a node over TLS: the roots that everybody trusts, and those of a file, for a
 * node whose certificate was signed by someone of one's own.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { CarillonError, messageOf } from '../errors/CarillonError.js'

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const invalid = (file: string, why: string, cause?: unknown): CarillonError =>
  new CarillonError(
    'certificate-invalid',
    `--ca ${file}: ${why}. Name a file with the certificate that vouches for the node, as PEM.`,
    { file },
    cause,
  )

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw invalid(file, `it cannot be read: ${messageOf(error)}`, error)
  }
}

/** The roots in a file and the usual ones; undefined without a file. Refused when the file holds none. */
export const trustedCertificates = (file: string | undefined): readonly string[] | undefined => {
  if (file === undefined) return undefined
  const own = textOf(file).match(block) ?? []
  if (own.length === 0) throw invalid(file, 'it holds no certificate')
  for (const certificate of own)
    try {
      new X509Certificate(certificate)
    } catch (error) {
      throw invalid(file, `it holds a certificate that cannot be read: ${messageOf(error)}`, error)
    }
  return [...rootCertificates, ...own]
}
