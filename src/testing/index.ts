/**
 * Test tools: everything an app needs to test code that takes years in milliseconds.
 */
export { seededRandom, VirtualNode, type VirtualNodeOptions } from './VirtualNode.js'
export { VirtualClock } from '../time/VirtualClock.js'
export { keyPairFromSeed } from '../identity/KeyPair.js'
