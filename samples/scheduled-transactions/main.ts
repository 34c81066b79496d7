/**
 * Plays the story of the seed, then the bridge: npm run sample:signatures
 */
import { crossBridge } from './bridge.js'
import { tellStory } from './story.js'

console.log('— Alice, Bob and Carol —\n')
await tellStory(console.log)
console.log('\n— A bridge of five validators —\n')
await crossBridge(console.log)
