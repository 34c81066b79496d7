/**
 * `carillon/network`: who else is there, and the way to them: network maps, network folders, transports.
 */

// Identity
export { networkIdOf, type NetworkId } from '../identity/NetworkId.js'
export { NetworkMap, type Member, type NotaryKind } from '../identity/NetworkMap.js'
export {
  openNetworkMap,
  signNetworkMap,
  type NetworkTerms,
  type SignedNetworkMap,
} from '../identity/SignedNetworkMap.js'

// Networks of processes
export { addParty, type AddedMember, type AddedParty, type MapChange } from '../network/addParty.js'
export { changePartyKey, type ChangedPartyKey } from '../network/changePartyKey.js'
export { makeNetwork, type NewMember, type NewNetwork, type NewNetworkOptions } from '../network/makeNetwork.js'
export { openNetworkFolder, type NetworkFolder, type VerifiedMap } from '../network/NetworkFolder.js'
export { TlsTransport, type Deliver, type TlsTransportOptions } from '../transport/TlsTransport.js'
export { makeCertificate, type CertificateRequest } from '../network/certificate.js'
export type { TransportLimits } from '../transport/limits.js'
export type { Transport } from '../session/Transport.js'
export type { Envelope, Message } from '../log/Message.js'
