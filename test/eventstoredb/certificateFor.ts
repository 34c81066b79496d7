/**
 * A certificate for a test server, and the authority that has issued it, which no machine trusts by itself.
 */
import { generateKeyPair } from '../../src/identity/KeyPair.js'
import { makeCertificate } from '../../src/network/certificate.js'
import { instant } from '../../src/time/Instant.js'

export const certificateFor = (
  host: string,
): { readonly key: string; readonly certificate: string; readonly authority: string } => {
  const [rootKey, key] = [generateKeyPair(), generateKeyPair()]
  const at = instant('2026-01-01T00:00:00Z')
  const issuer = { name: 'Test authority', key: rootKey.publicKey }
  const subject = { name: host, key: key.publicKey }
  return {
    key: key.exportPrivate(),
    certificate: makeCertificate({ subject, issuer, issuerKey: rootKey, at }),
    authority: makeCertificate({ subject: issuer, issuer, issuerKey: rootKey, at }),
  }
}
