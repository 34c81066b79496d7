/**
 * What a forger does after a change: numbers, hashes and signatures are made anew, with the right key or without it.
 */
import { sha256 } from '../../../src/encoding/hash.js'
import { rechain, renumber, signRightly, type LogFile, type Sign } from '../LogFile.js'
import { keyNamed } from '../WrittenParty.js'
import { withTicks, type Change } from './Change.js'

const signings: Readonly<Record<string, Sign>> = {
  'the right key': signRightly,
  'the old signatures': ({ signature }) => signature,
  'another key': (tick, hash) => signRightly({ ...tick, signer: { ...tick.signer, key: keyNamed('forger') } }, hash),
  'another network': (tick, hash) =>
    signRightly({ ...tick, signer: { ...tick.signer, network: sha256('other') } }, hash),
  'no signature': () => '',
  'the right key, for no transaction': (tick, hash) => signRightly({ ...tick, events: [] }, hash),
}

export const mend: Change<LogFile> = (chance, log) => {
  const from = chance.oneIn(3) ? chance.below(log.ticks.length + 1) : 0
  const numbered = chance.oneIn(2) ? renumber(log.ticks, from) : log.ticks
  const by = chance.oneIn(2) ? 'the right key' : chance.pick(Object.keys(signings))
  const ticks = rechain(numbered, from, signings[by] ?? signRightly)
  const how = numbered === log.ticks ? 'hashes' : 'numbers and hashes'
  return { log: withTicks(log, ticks), what: `${how} from tick ${from} on made anew, signed with ${by}` }
}
