/** What the independent verifier promises by itself; that it agrees with the product is a spec of its own. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { Chance } from '../../src/testing/simulation/Chance.js'
import { signCheckpoint } from '../../src/log/Checkpoint.js'
import { HashC } from '../../src/encoding/hash.js'
import { leafHash } from '../../src/encoding/merkle.js'
import { emptyRange, grow } from '../../src/encoding/MountainRange.js'
import { bytesOfFile, rechain, signRightly, type LogFile } from './LogFile.js'
import { recordedFiles, recordedLog } from './recordedLogs.js'
import { verifyExport, type Finding } from './verifyExport.mjs'
import { keyNamed } from './WrittenParty.js'
import { writeLog } from './writeLog.js'
import { exchanged, withTick, withTicks, without } from './changes/Change.js'

const heartbeat = (): LogFile => recordedLog('test/replay/0.1.0/heartbeat/heartbeat.ndjson')

const findingsOf = (log: LogFile): readonly Finding[] => verifyExport(bytesOfFile(log)).findings

const revisionOf = ({ ticks }: LogFile, at: number): number => Number(ticks[at]?.revision)

describe('the verifier written from the page on the format of the log', () => {
  it('imports nothing but modules of Node', () => {
    const source = readFileSync('test/verifier/verifyExport.mjs', 'utf8')
    const imported = [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, name]) => name)
    expect(imported).to.deep.equal(['node:crypto', 'node:fs'])
  })

  for (const file of recordedFiles())
    it(`finds nothing in ${file}`, () => {
      const { findings, ticks, events } = verifyExport(readFileSync(file))
      expect(findings).to.deep.equal([])
      expect(ticks).to.be.greaterThan(0)
      expect(events).to.be.at.least(ticks)
    })

  it('finds an event that was altered, and one whose hash was made anew without the key', () => {
    const log = heartbeat()
    const at = log.ticks.findIndex(({ events }) => events.length > 1)
    const events = (log.ticks[at]?.events ?? []).map((line) => line.replace('"flow":"', '"flow":"f'))
    const altered = withTick(log, at, { events })
    const [first, last] = [revisionOf(log, at), revisionOf(log, at) + events.length - 1]
    expect(findingsOf(altered)).to.deep.include({ kind: 'altered', revision: first, until: last })
    const kept = withTicks(
      altered,
      rechain(altered.ticks, at, ({ signature }) => signature),
    )
    const forged = log.ticks.slice(at).map((_, index) => ({ kind: 'forged', revision: revisionOf(log, at + index) }))
    expect(findingsOf(kept)).to.deep.equal(forged.slice(0, 100))
    // Whoever has the key can write what he likes.
    expect(findingsOf(withTicks(altered, rechain(altered.ticks, at, signRightly)))).to.deep.equal([])
  })

  it('finds ticks that are missing, in another place, or there twice', () => {
    const log = heartbeat()
    const [third, fourth] = [revisionOf(log, 2), revisionOf(log, 3)]
    const gap = fourth - 1 > third ? { revision: third, until: fourth - 1 } : { revision: third }
    expect(findingsOf(withTicks(log, without(log.ticks, 2)))).to.deep.equal([{ kind: 'missing', ...gap }])
    expect(findingsOf(withTicks(log, exchanged(log.ticks, 2, 3)))).to.deep.include({ kind: 'reordered', ...gap })
    const twice = withTicks(log, [...log.ticks, ...log.ticks.slice(2, 3)])
    expect(findingsOf(twice)).to.deep.equal([{ kind: 'reordered', revision: third }])
  })

  it('finds a file that cannot be read further', () => {
    const bytes = bytesOfFile(heartbeat())
    const { ticks, findings } = verifyExport(bytes.subarray(0, bytes.length - 100))
    const last = revisionOf(heartbeat(), ticks)
    expect(findings).to.deep.equal([{ kind: 'malformed', revision: last }])
    expect(verifyExport(Buffer.alloc(0)).findings).to.deep.equal([{ kind: 'malformed', revision: 0 }])
    expect(() => verifyExport(Buffer.from('{"carillon":"log","format":3}\n'))).to.throw('format 3')
  })

  it('finds a log that was cut off, with a checkpoint, and one of another key', () => {
    const log = writeLog(new Chance('checkpoint'), false)
    const hashes = log.ticks.flatMap(({ hash }) => (HashC.is(hash) ? [hash] : []))
    const last = log.ticks.at(-1)
    const [hash] = hashes.slice(-1)
    if (last === undefined || hash === undefined) throw new Error('The log has no tick.')
    const head = {
      tick: log.ticks.length,
      revision: Number(last.revision) + last.events.length - 1,
      hash,
      signature: '',
    }
    const range = hashes.reduce((grown, next) => grow(grown, leafHash(next)), emptyRange)
    const checkpoint = signCheckpoint(last.signer.key, head, { network: last.signer.network, range })
    const options = { checkpoints: [checkpoint], by: last.signer.key.publicKey }
    expect(verifyExport(bytesOfFile(log), options).findings).to.deep.equal([])
    const cut = bytesOfFile(withTicks(log, log.ticks.slice(0, -1)))
    const kinds = verifyExport(cut, { checkpoints: [checkpoint] }).findings.map(({ kind }) => kind)
    expect(kinds).to.deep.equal(['cut-off'])
    const other = { by: keyNamed('forger').publicKey }
    expect(verifyExport(bytesOfFile(log), other).findings).to.deep.equal([{ kind: 'forged', revision: 0 }])
  })
})
