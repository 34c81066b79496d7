/** Logs that a node must not continue: each is refused with a code of its own that says what to do, and nothing is written. */
import { expect } from 'chai'
import { startNode, type CarillonError } from 'carillon'
import { verifyLog, type EncodedTick } from 'carillon/logs'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canonicalText } from '../../src/encoding/canonical.js'
import { sha256 } from '../../src/encoding/hash.js'
import { signKeyChange } from '../../src/identity/KeyChange.js'
import { keyPairFromSeed } from '../../src/identity/KeyPair.js'
import { NetworkMap } from '../../src/identity/NetworkMap.js'
import { ownNetworkId } from '../../src/identity/NetworkId.js'
import { MemoryLog } from '../../src/logs/memory/MemoryLog.js'
import { logFormat } from '../../src/log/logFormat.js'
import { emptyHead, headAfter, tickAfter } from '../../src/log/Tick.js'
import { instant } from '../../src/time/Instant.js'
import { bank, MintCoin } from '../store/bank.js'
import { signingWith, startLine } from './signing.js'

const at = instant('2026-01-01T00:00:00.000Z')
const key = keyPairFromSeed(sha256('the node'))
const next = keyPairFromSeed(sha256('its next key'))
const other = keyPairFromSeed(sha256('another party'))
const party = { name: 'Me', key: key.publicKey }
const drained = canonicalText({ type: 'DrainingStarted', by: 'somebody' })
const lively = canonicalText({ type: 'DrainingEnded', by: 'somebody' })

type Line = Record<string, unknown>
const start = (change: (line: Line) => Line = (line) => line, by = key): string =>
  canonicalText(
    change({ ...(JSON.parse(startLine(by)) as Line), app: 'bank', party: { name: 'Me', key: by.publicKey } }),
  )

/** A log of ticks with one event each. */
const logOf = (
  ...ticks: readonly (readonly [line: string, sign: (hash: EncodedTick['hash']) => string])[]
): MemoryLog => {
  const log = new MemoryLog()
  let head = emptyHead
  for (const [line, sign] of ticks) {
    const tick = tickAfter(head, at, [line], sign)
    void log.append(head, tick)
    head = headAfter(tick)
  }
  return log
}

const signed = signingWith(key)
const changed = canonicalText({
  type: 'KeyChanged',
  change: signKeyChange(ownNetworkId(key.publicKey), key.publicKey, key, next),
})
const unchained = canonicalText({
  type: 'KeyChanged',
  change: { ...signKeyChange(ownNetworkId(key.publicKey), key.publicKey, other, other), from: key.publicKey },
})

const cases: Readonly<Record<string, readonly [code: string, advice: RegExp, log: () => MemoryLog]>> = {
  'of the old format': [
    'log-too-old',
    /Begin a new log/,
    () => logOf([start(({ format: _format, carillon: _carillon, network: _network, ...old }) => old), signed]),
  ],
  'of a newer format': [
    'log-too-new',
    /written by Carillon 7\.0\.0; .*Run Carillon 7\.0\.0 or newer/,
    () => logOf([start(), signed], [start((line) => ({ ...line, format: logFormat + 1, carillon: '7.0.0' })), signed]),
  ],
  'with a kind of event that is not known': [
    'log-too-new',
    /run that version/,
    () => logOf([start(), signed], [canonicalText({ type: 'NodeHibernated' }), signed]),
  ],
  'with a field that is not known': [
    'log-too-new',
    /run that version/,
    () => logOf([start(), signed], [canonicalText({ type: 'NodeStopped', quietly: true }), signed]),
  ],
  'of another party': [
    'store-foreign',
    /Choose another log/,
    () => logOf([start((line) => line, other), signingWith(other)]),
  ],
  'of another network': [
    'network-mismatch',
    /map of its own network/,
    () => {
      const elsewhere = sha256('elsewhere')
      return logOf([start((line) => ({ ...line, network: elsewhere })), signingWith(key, [], elsewhere)])
    },
  ],
  'with an unsigned tick in the middle': [
    'tick-unsigned',
    /carillon log verify/,
    () => logOf([start(), signed], [drained, () => ''], [lively, signed]),
  ],
  'with an unsigned tick at the end': [
    'tick-unsigned',
    /carillon log verify/,
    () => logOf([start(), signed], [drained, () => '']),
  ],
  'whose last tick another key has signed': [
    'tick-forged',
    /carillon log verify/,
    () => logOf([start(), signed], [drained, signingWith(other)]),
  ],
  'whose last tick was signed in another network': [
    'tick-forged',
    /carillon log verify/,
    () => logOf([start(), signed], [drained, signingWith(key, [], sha256('elsewhere'))]),
  ],
  'whose last tick a retired key has signed': [
    'key-retired',
    /Whoever holds that key has written it/,
    () => logOf([start(), signed], [changed, signed], [drained, signed]),
  ],
  'that changes to a key without the word of the old one': [
    'tick-forged',
    /not signed by both keys/,
    () => logOf([start(), signed], [unchained, signed], [drained, signingWith(other, [], ownNetworkId(key.publicKey))]),
  ],
  'whose change of key the old key has not signed as a tick': [
    'tick-forged',
    /carillon log verify/,
    () =>
      logOf(
        [start(), signed],
        [changed, signingWith(next)],
        [drained, signingWith(next, [], ownNetworkId(key.publicKey))],
      ),
  ],
  'that does not begin with the start of a node': [
    'log-undecodable',
    /not a log that Carillon/,
    () => logOf([drained, signed]),
  ],
}

describe('A log that a node must not continue:', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-refused-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  const failureOf = (log: MemoryLog): Promise<unknown> =>
    startNode({
      app: bank,
      party: 'Me',
      store: folder,
      log: log.another(),
      key: key,
      network: NetworkMap.alone(party),
    }).then(
      (node) => node.crash().then(() => 'started'),
      (error: unknown) => error,
    )

  for (const [what, [code, advice, make]] of Object.entries(cases)) {
    it(`one ${what} is refused with ${code}, and says what to do`, async () => {
      const log = make()
      const { revision } = log.headNow
      const failure = (await failureOf(log)) as CarillonError
      expect(failure).to.have.property('code', code)
      expect(failure.message).to.match(advice)
      expect(log.headNow.revision, 'nothing was appended').to.equal(revision)
      // Once more: what was refused has left nothing behind that would let it pass.
      expect(await failureOf(log)).to.have.property('code', code)
      // Nor anything that would be in the way of the right one.
      expect(await failureOf(new MemoryLog())).to.equal('started')
    })
  }

  it('a second history from one key is refused by a node that has seen the first', async () => {
    const first = new MemoryLog()
    const begin = (log: MemoryLog) => startNode({ app: bank, party: 'Me', store: folder, log: log.another(), key })
    const node = await begin(first)
    await node.run(MintCoin, { value: 1 })
    await node.stop()
    const second = logOf([start(), signed], [drained, signed], [lively, signed])
    const shorter = await begin(second).catch((error: unknown) => error)
    expect(shorter).to.have.property('code', 'log-diverged')
    const longer = logOf(
      [start(), signed],
      ...Array.from({ length: 40 }, (_, index) => [index % 2 === 0 ? drained : lively, signed] as const),
    )
    expect(await begin(longer).catch((error: unknown) => error)).to.have.property('code', 'log-diverged')
    expect((await verifyLog(first.read(0))).problems).to.deep.equal([])
  })
})
