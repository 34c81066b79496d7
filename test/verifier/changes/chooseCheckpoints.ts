/** Checkpoints that are given for a log: good ones, altered ones, of another log, of another key, beyond its end. */
import { sha256, HashC } from '../../../src/encoding/hash.js'
import { leafHash } from '../../../src/encoding/merkle.js'
import { emptyRange, grow } from '../../../src/encoding/MountainRange.js'
import { signCheckpoint, type Checkpoint } from '../../../src/log/Checkpoint.js'
import type { Chance } from '../../../src/testing/simulation/Chance.js'
import { instant } from '../../../src/time/Instant.js'
import type { LogFile } from '../LogFile.js'
import { keyNamed } from '../WrittenParty.js'

/** The checkpoint after one of the ticks of a log that is sound. */
const checkpointAt = (chance: Chance, { ticks }: LogFile, at: number): Checkpoint | undefined => {
  const tick = ticks[at]
  const hashes = ticks.slice(0, at + 1).flatMap(({ hash }) => (HashC.is(hash) ? [hash] : []))
  const hash = hashes.at(-1)
  if (tick === undefined || hash === undefined) return undefined
  const range = hashes.reduce((grown, next) => grow(grown, leafHash(next)), emptyRange)
  const head = {
    tick: Number(tick.tick),
    revision: Number(tick.revision) + tick.events.length - 1,
    hash,
    signature: '',
  }
  const key = chance.oneIn(6) ? keyNamed('forger') : chance.pick([tick, ...ticks]).signer.key
  const continuedAt = chance.oneIn(3) ? instant('2026-01-01T00:00:00Z') : undefined
  const signed = signCheckpoint(key, head, { network: tick.signer.network, range, continuedAt })
  if (chance.below(3) > 0) return signed
  const moved = chance.pick([{ revision: head.revision + 1 }, { tick: head.tick + 1 }, { hash: sha256('other') }])
  const other = chance.pick<Partial<Checkpoint>>([
    ...[{ revision: signed.revision + 1 }, { tick: signed.tick - 1 }, { hash: sha256('other') }],
    ...[{ range: sha256('other') }, { network: sha256('other') }, { by: keyNamed('forger').publicKey }],
    ...[{ signature: '' }, { continuedAt: instant('2027-01-01T00:00:00Z') }],
  ])
  return chance.oneIn(2)
    ? { ...signed, ...other }
    : signCheckpoint(key, { ...head, ...moved }, { network: tick.signer.network, range, continuedAt })
}

/** Some checkpoints of a log as it was, and of others. */
export const chooseCheckpoints = (chance: Chance, log: LogFile, other: () => LogFile): readonly Checkpoint[] =>
  Array.from({ length: chance.between(1, 4) }, () => {
    const from = chance.oneIn(8) ? other() : log
    return checkpointAt(chance, from, chance.below(Math.max(1, from.ticks.length)))
  }).flatMap((checkpoint) => (checkpoint === undefined ? [] : [checkpoint]))
