/**
 * Who a node is and whom it can reach: its key, its certificate, and the other parties of its network.
 */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { connect as connectTls, type PeerCertificate } from 'node:tls'
import type { Member } from '../../identity/NetworkMap.js'
import { readKeyFile, secretFileOf } from '../../keys/KeyFile.js'
import { expiryWarning } from '../../network/followMap.js'
import { networkFiles, readNetworkMap } from '../../network/NetworkFolder.js'
import { readStore } from '../../folder/readStore.js'
import { storeFiles } from '../../folder/StoreFolder.js'
import { certifiedKey, fingerprintOf } from '../../network/certificate.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'
import type { Finding, Judge } from './Finding.js'
import { openToOthers } from './openToOthers.js'

export const checkKeyFiles = ({ good, bad, notice }: Judge, store: string, network: string | undefined): Finding => {
  const file = [storeFiles(store).key, ...(network === undefined ? [] : [networkFiles(network).key])].find(existsSync)
  const signer = existsSync(storeFiles(store).database) ? readStore(store, readFacts).signers.at(-1)?.key : undefined
  if (file === undefined)
    return signer === undefined
      ? notice('there is none yet', 'nothing: the first start of a node makes one')
      : bad(
          `${storeFiles(store).key} is missing, and the node of this store cannot sign without it`,
          'put node.key and node.secret back from where they are kept; a backup of the store may hold node.key',
        )
  const exposed = [file, secretFileOf(file)].filter(openToOthers)
  if (exposed.length > 0)
    return bad(`${exposed.join(' and ')} can be read by other users`, `chmod 600 ${exposed.join(' ')}`)
  const key = readKeyFile(file).publicKey
  return signer === undefined || key === signer
    ? good(`${key}, for its owner alone`)
    : bad(
        `${file} holds the key ${key}, but the log of this store is signed with ${signer}`,
        'put the key that signs the log back; the next start finishes a change of key that was interrupted',
      )
}

const monthMs = 30 * 86_400_000

const judgeValidity = (
  { bad, notice }: Judge,
  file: string,
  certificate: X509Certificate,
  nowMs: number,
): readonly Finding[] => {
  const until = Date.parse(certificate.validTo)
  if (Date.parse(certificate.validFrom) > nowMs)
    return [
      bad(
        `${file} is not valid before ${certificate.validFrom}`,
        'set the clock of this machine, or get another certificate',
      ),
    ]
  if (until <= nowMs)
    return [bad(`${file} has expired on ${certificate.validTo}`, 'renew it, and start the node again')]
  return until - nowMs < monthMs ? [notice(`${file} expires on ${certificate.validTo}`, 'renew it before then')] : []
}

const checkOwnCertificate = (judge: Judge, network: string, me: string | null, nowMs: number): readonly Finding[] => {
  const { good, bad } = judge
  const files = networkFiles(network)
  const rootPem = readFileSync(files.root, 'utf8')
  const verified = readNetworkMap(files.map, rootPem, files.root)
  const map = verified.network
  const certificate = new X509Certificate(readFileSync(files.certificate))
  const key = certifiedKey(certificate)
  const identity = key === undefined ? undefined : map.identityOf(key)
  const member = identity === undefined ? undefined : map.member(identity)
  const another = `ask the operator of the network for a new one: carillon network add, or change-key after a change of key`
  if (!certificate.verify(new X509Certificate(rootPem).publicKey))
    return [bad(`${files.certificate} was not signed by the root in ${files.root}`, another)]
  if (me !== null && identity !== me)
    return [bad(`${files.certificate} is that of ${member?.party.name ?? 'another key'}, not of this node`, another)]
  if (member === undefined) return [bad(`${files.certificate} is of a party that the map does not list`, another)]
  if (member.certificate !== undefined && member.certificate !== fingerprintOf(certificate))
    return [bad(`${files.certificate} is not the one the map lists for ${member.party.name}`, another)]
  const expiry = expiryWarning(verified, nowMs)
  const timely = [
    ...judgeValidity(judge, files.certificate, certificate, nowMs),
    ...(expiry === undefined ? [] : [judge.notice(expiry, 'ask the operator of the network for a newer map')]),
  ]
  return timely.length > 0
    ? timely
    : [good(`that of ${member.party.name}, signed by the network's root and in its map`)]
}

export const checkCertificates = (
  judge: Judge,
  network: string | undefined,
  me: string | null,
  httpCert: string | undefined,
  nowMs: number,
): readonly Finding[] => {
  const http = (file: string): readonly Finding[] => {
    const certificate = new X509Certificate(readFileSync(file))
    const timely = judgeValidity(judge, file, certificate, nowMs)
    return timely.length > 0 ? timely : [judge.good(`${file} for HTTP, until ${certificate.validTo}`)]
  }
  const found = [
    ...(network === undefined ? [] : checkOwnCertificate(judge, network, me, nowMs)),
    ...(httpCert === undefined ? [] : http(httpCert)),
  ]
  return found.length > 0 ? found : [judge.good('none needed: the node is in no network')]
}

const patienceMs = 3_000

/** The certificate of whoever answers at an address; a party shows its own before it asks for ours. */
const certificateAt = (address: string): Promise<PeerCertificate> =>
  new Promise((resolve, reject) => {
    const colon = address.lastIndexOf(':')
    const host = address.slice(0, colon).replaceAll(/[[\]]/g, '')
    const socket = connectTls({
      host,
      port: Number(address.slice(colon + 1)),
      rejectUnauthorized: false,
      timeout: patienceMs,
    })
    const end = (): void => void socket.destroy()
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate())
      end()
    })
    socket.once('timeout', () => {
      reject(new Error(`no answer within ${patienceMs / 1_000} s`))
      end()
    })
    socket.once('error', (error: Error) => {
      reject(error)
      end()
    })
  })

const checkPeer = async (
  { good, notice, bad }: Judge,
  { party, address = '', certificate, notary }: Member,
): Promise<Finding> => {
  const name = notary === undefined ? party.name : `${party.name}, a notary,`
  try {
    const shown = await certificateAt(address)
    const fingerprint = shown.fingerprint256.replaceAll(':', '').toLowerCase()
    if (certificate !== undefined && fingerprint !== certificate)
      return bad(
        `somebody else than ${party.name} answers at ${address}`,
        `see that ${address} is right, and get the current map from the operator of the network`,
      )
    return good(`${party.name} answers at ${address}`)
  } catch (error) {
    const why =
      error instanceof Error && 'code' in error
        ? String(error.code)
        : String(error instanceof Error ? error.message : error)
    const text = `${name} does not answer at ${address} (${why})`
    return notary === undefined
      ? notice(text, 'see whether its node runs; what is meant for it is kept and sent when it does')
      : bad(text, 'see whether its node runs: until then nothing that needs this notary can be finalised')
  }
}

export const checkPeers = async (
  judge: Judge,
  network: string | undefined,
  me: string | null,
): Promise<readonly Finding[]> => {
  if (network === undefined) return [judge.good('none: the node is in no network')]
  const files = networkFiles(network)
  const { network: map } = readNetworkMap(files.map, readFileSync(files.root, 'utf8'), files.root)
  const others = map.members.filter(({ party, address }) => party.key !== me && address !== undefined)
  if (others.length === 0) return [judge.good('none: the network has no other party')]
  return Promise.all(others.map((member) => checkPeer(judge, member)))
}
