/**
 * Test tools: everything an app needs to test code that takes years in milliseconds.
 */
export { seededRandom } from './seededRandom.js'
export { VirtualNode, type VirtualNodeOptions } from './VirtualNode.js'
export { VirtualNetwork, type VirtualNetworkOptions, type VirtualPartyOptions } from './VirtualNetwork.js'
export { fairWeather, type Weather } from './VirtualTransport.js'
export { VirtualClock } from '../time/VirtualClock.js'
export { keyPairFromSeed } from '../identity/KeyPair.js'
