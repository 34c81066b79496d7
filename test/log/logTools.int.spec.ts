import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { startNode, type CarillonError } from '../../src/index.js'
import { acceptRestored } from '../../src/entries/backup.js'
import { exportLog, foldLog, importLog, verifyLog, type EncodedTick, type LogReport } from '../../src/entries/logs.js'
import { canonicalText } from '../../src/encoding/canonical.js'
import { sha256, type Hash } from '../../src/encoding/hash.js'
import { leafHash } from '../../src/encoding/merkle.js'
import { emptyRange, grow } from '../../src/encoding/MountainRange.js'
import { sealBody, type TransactionBody } from '../../src/ledger/Transaction.js'
import { historyLimits } from '../../src/history/limits.js'
import { emptyHead, headAfter, headerLine, tickAfter } from '../../src/log/Tick.js'
import { coveredTransactions } from '../../src/log/TickSigner.js'
import { signCheckpoint, type Checkpoint } from '../../src/log/Checkpoint.js'
import { keyPairFromSeed, VirtualNode } from '../../src/testing/index.js'
import { signed, signingWith } from './signing.js'
import { bank, Coin, MintCoin } from '../store/bank.js'

async function* each<A>(items: readonly A[]): AsyncGenerator<A> {
  for (const item of items) yield await Promise.resolve(item)
}

const failureOf = async (work: Promise<unknown>): Promise<CarillonError> => {
  try {
    await work
  } catch (error) {
    return error as CarillonError
  }
  throw new Error('expected a failure')
}

/** Events as objects, loosely typed, so that a test can forge what no code of ours would write. */
type Forged = Record<string, unknown> & { readonly type: string }

/** Signs a tick that was made anew; `tick` is still without its hash. */
type SignForged = (tick: EncodedTick, hash: Hash) => string

/** The log with its events changed and all hashes made anew. A forger with no key leaves the signatures that were there. */
const forged = (
  ticks: readonly EncodedTick[],
  change: (event: Forged, revision: number) => readonly Forged[],
  sign: SignForged = ({ signature }) => signature,
): readonly EncodedTick[] => {
  let head = emptyHead
  const result: EncodedTick[] = []
  for (const tick of ticks) {
    const events = tick.events.flatMap((line, index) =>
      change(JSON.parse(line) as Forged, tick.firstRevision + index).map((event) => canonicalText(event)),
    )
    if (events.length === 0) continue
    const next = tickAfter(head, tick.at, events, (hash) => sign({ ...tick, events }, hash))
    result.push(next)
    head = headAfter(next)
  }
  return result
}

describe('tools for whole logs', () => {
  const stranger = keyPairFromSeed(sha256('a stranger'))
  let scratch: string
  let folder: string
  let ticks: readonly EncodedTick[]
  let lines: readonly string[]
  let virtual: VirtualNode

  before(async () => {
    virtual = await VirtualNode.start({ app: bank })
    for (const value of [10, 20, 30]) await virtual.node.run(MintCoin, { value })
    await Promise.all([40, 50].map((value) => virtual.node.run(MintCoin, { value })))
    await virtual.stop()
    const found: EncodedTick[] = []
    for await (const tick of virtual.store.read(0)) found.push(tick)
    ticks = found
    const written: string[] = []
    await exportLog(each(ticks), (line) => void written.push(line))
    lines = written
  })
  after(() => virtual.store.close())

  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'carillon-tools-'))
    folder = join(scratch, 'store')
  })
  afterEach(() => {
    rmSync(scratch, { recursive: true })
  })

  const verify = (log: readonly EncodedTick[]): Promise<LogReport> => verifyLog(each(log))
  const problemsOf = async (log: readonly EncodedTick[]): Promise<string> =>
    (await verify(log)).problems.map(({ what }) => what).join('\n')

  describe('verifyLog', () => {
    it('finds nothing wrong with what a node wrote, and counts it', async () => {
      const seen: number[] = []
      const report = await verifyLog(each(ticks), { onProgress: (events) => void seen.push(events) })
      const events = ticks.reduce((sum, tick) => sum + tick.events.length, 0)
      expect(report).to.deep.equal({
        ticks: ticks.length,
        events,
        head: headAfter(ticks.at(-1)!),
        transactions: 5,
        signedBy: virtual.key.publicKey,
        problems: [],
      })
      expect(seen.at(-1)).to.equal(events)
      expect(await verify([])).to.deep.include({ ticks: 0, events: 0, head: emptyHead, problems: [] })
    })

    it('finds any change of any character of any event', () => {
      const places = fc
        .nat({ max: ticks.length - 1 })
        .chain((tick) =>
          fc
            .nat({ max: ticks[tick]!.events.length - 1 })
            .chain((event) =>
              fc.tuple(fc.constant(tick), fc.constant(event), fc.nat({ max: ticks[tick]!.events[event]!.length - 1 })),
            ),
        )
      return fc.assert(
        fc.asyncProperty(places, fc.constantFrom('0', 'x', '"', ' '), async ([tick, event, at], character) => {
          const line = ticks[tick]!.events[event]!
          fc.pre(line[at] !== character)
          const altered = line.slice(0, at) + character + line.slice(at + 1)
          const log = ticks.with(tick, { ...ticks[tick]!, events: ticks[tick]!.events.with(event, altered) })
          expect((await verify(log)).problems).to.not.have.length(0)
        }),
        { numRuns: 60 },
      )
    })

    it('finds ticks that are missing, doubled, swapped or empty, and another instant', async () => {
      expect(await problemsOf(ticks.toSpliced(2, 1))).to.match(/tick 4 follows tick 2/)
      expect(await problemsOf(ticks.slice(1))).to.match(/tick 2 follows tick 0/)
      expect(await problemsOf(ticks.toSpliced(2, 0, ticks[2]!))).to.match(/tick 3 follows tick 3/)
      expect(await problemsOf(ticks.with(1, ticks[2]!).with(2, ticks[1]!))).to.match(/tick 2 follows tick 3/)
      expect(await problemsOf(ticks.with(1, { ...ticks[1]!, events: [] }))).to.match(/tick 2 holds no event/)
      const later = { ...ticks[1]!, at: '2027-01-01T00:00:00.000Z' as EncodedTick['at'] }
      expect(await problemsOf(ticks.with(1, later))).to.match(/running hash of tick 2/)
    })

    it('names the revision, and goes on as if the log had meant what it says', async () => {
      const altered = {
        ...ticks[2]!,
        events: ticks[2]!.events.with(0, canonicalText({ type: 'DrainingStarted', by: 'x' })),
      }
      const { problems } = await verify(ticks.with(2, altered))
      expect(problems.every(({ revision }) => revision >= altered.firstRevision)).to.equal(true)
      expect(problems.some(({ revision }) => revision > headAfter(altered).revision)).to.equal(false)
    })

    it('finds any change of any signature', () =>
      fc.assert(
        fc.asyncProperty(fc.nat({ max: ticks.length - 1 }), fc.nat(), async (place, choice) => {
          const tick = ticks[place]!
          const bytes = Buffer.from(tick.signature, 'base64')
          bytes[choice % bytes.length]! ^= 1
          const log = ticks.with(place, { ...tick, signature: bytes.toString('base64') })
          const { problems } = await verify(log)
          expect(problems[0]).to.include({ kind: 'forged', revision: tick.firstRevision })
          // The next running hash covers it, so whoever signs an earlier tick anew is found there too.
          expect(problems).to.have.length(place === ticks.length - 1 ? 1 : 2)
        }),
        { numRuns: 30 },
      ))

    const mint = (from: number, to: number) => (event: Forged) => {
      if (event.type !== 'TransactionRecorded') return [event]
      const body = JSON.parse(
        JSON.stringify(event['body']).replace(`"value":${from}`, `"value":${to}`),
      ) as TransactionBody
      return [{ ...event, body, id: sealBody(body).id }]
    }

    it('finds what a forger changed although he made all hashes anew, at the tick that he changed', async () => {
      const unchanged = forged(ticks, (event) => [event])
      expect(unchanged).to.deep.equal(ticks)
      const notSigned = /^the signature of tick \d+ is not that of ed25519:/
      const changes: readonly (readonly [RegExp, (event: Forged) => readonly Forged[], SignForged?])[] = [
        [
          /transaction .* has a body whose id is/,
          (event) => [JSON.parse(JSON.stringify(event).replace('"value":20', '"value":2000000')) as Forged],
        ],
        [notSigned, mint(20, 99)],
        [notSigned, (event) => [event.type === 'NodeStarted' ? { ...event, app: 'other' } : event]],
        [/^tick \d+ has no signature$/, mint(20, 99), () => ''],
        [/^tick \d+ has no signature$/, mint(20, 99), () => 'not a signature'],
        [notSigned, mint(20, 99), (tick, hash) => signingWith(stranger, coveredTransactions({ ...tick, hash }))(hash)],
      ]
      for (const [expected, change, sign] of changes) {
        // What he left as it was keeps its signature.
        const log = forged(ticks, change, (tick, hash) =>
          sign === undefined || hash === tick.hash ? tick.signature : sign(tick, hash),
        )
        const { problems } = await verifyLog(each(log), { decode: true })
        expect(problems.map(({ what }) => what).find((what) => expected.test(what))).to.match(expected)
        const first = log.find(({ events }, index) => events.join() !== ticks[index]!.events.join())
        expect(problems[0]!.revision, 'found where it begins').to.be.within(
          first?.firstRevision ?? 0,
          headAfter(first ?? log[0]!).revision,
        )
        expect((await verify(log)).problems, 'without decoding too').to.not.have.length(0)
      }
    })

    it('finds what cannot be, although the key of the node has signed it', async () => {
      const ofNode: SignForged = (tick, hash) => signingWith(virtual.key, coveredTransactions({ ...tick, hash }))(hash)
      const resigned = forged(ticks, (event) => [event], ofNode)
      expect(resigned, 'the same key over the same text gives the same signature').to.deep.equal(ticks)
      expect(
        (await verify(forged(ticks, mint(20, 99), ofNode))).problems,
        'a new history, and nothing else',
      ).to.have.length(0)
      const asked = (event: Forged): readonly Forged[] => {
        if (event.type !== 'TransactionRecorded') return [event]
        const body = { ...(event['body'] as TransactionBody), signers: [[stranger.publicKey]] }
        return [{ ...event, body, id: sealBody(body).id }]
      }
      const changes: readonly (readonly [RegExp, (event: Forged) => readonly Forged[], SignForged?])[] = [
        [/asks for the signature of .* which its tick does not hold/, asked],
        [
          /is not that of/,
          (event) => [event],
          (_, hash) => signingWith(virtual.key, [sha256('a transaction that is not in it')])(hash),
        ],
        [/is not that of/, (event) => [event], (_, hash) => signingWith(virtual.key, [], sha256('a network'))(hash)],
        [
          /comes before any start of a node/,
          (event) => (event.type === 'NodeStarted' ? [{ type: 'NodeStopped' }] : [event]),
          (_, hash) => signingWith(virtual.key)(hash),
        ],
        [
          /is the start of .* and the log is that of/,
          (event) => [
            event,
            ...(event.type === 'NodeStopped' ? [{ ...start, party: { name: 'Me', key: stranger.publicKey } }] : []),
          ],
        ],
        [
          /is a NodeStopped with fields that this version does not know/,
          (event) => [event.type === 'NodeStopped' ? { ...event, because: 'x' } : event],
        ],
        [/is a NodeHibernated/, (event) => [event.type === 'NodeStopped' ? { type: 'NodeHibernated' } : event]],
        [
          /outputs and 0 assessments/,
          (event) => [event.type === 'TransactionRecorded' ? { ...event, assessments: [] } : event],
        ],
      ]
      const start = JSON.parse(ticks[0]!.events[0]!) as Forged
      for (const [expected, change, sign = ofNode] of changes) {
        const { problems } = await verifyLog(each(forged(ticks, change, sign)), { decode: true })
        expect(problems.map(({ what }) => what).join('\n')).to.match(expected)
      }
    })

    it('finds checkpoints that the log does not hold, and checkpoints that nobody has signed', async () => {
      const { network } = JSON.parse(ticks[0]!.events[0]!) as { readonly network: Hash }
      const head = headAfter(ticks[2]!)
      const whole = ticks.slice(0, 3).reduce((range, { hash }) => grow(range, leafHash(hash)), emptyRange)
      const sound = signCheckpoint(virtual.key, head, { network, range: whole })
      expect((await verifyLog(each(ticks), { checkpoints: [sound] })).problems).to.deep.equal([])
      const wrong: readonly (readonly [RegExp, Checkpoint])[] = [
        [
          /names a revision where no tick ends/,
          signCheckpoint(virtual.key, { ...head, revision: head.revision - 1 }, { network, range: whole }),
        ],
        [
          /, and the running hash there is /,
          signCheckpoint(virtual.key, { ...head, hash: sha256('') }, { network, range: whole }),
        ],
        [
          /commits to other ticks than the log holds/,
          signCheckpoint(virtual.key, head, { network, range: emptyRange }),
        ],
        [/is not the key that the node signed with there/, signCheckpoint(stranger, head, { network, range: whole })],
        [/is of another network/, signCheckpoint(virtual.key, head, { network: sha256('another'), range: whole })],
        [
          /signature of the checkpoint at revision .* does not verify/,
          { ...sound, signature: stranger.sign('something') },
        ],
      ]
      for (const [expected, checkpoint] of wrong) {
        const { problems } = await verifyLog(each(ticks), { checkpoints: [checkpoint] })
        expect(problems.map(({ what }) => what).join('\n')).to.match(expected)
      }
    })

    it('finds that the log is not signed by the key that is expected', async () => {
      const by = virtual.key.publicKey
      expect((await verifyLog(each(ticks), { by })).problems).to.deep.equal([])
      const { problems } = await verifyLog(each(ticks), { by: stranger.publicKey })
      expect(problems).to.deep.equal([
        { kind: 'forged', revision: 0, what: `the log is signed by ${by}, and never by ${stranger.publicKey}` },
      ])
    })

    it('lists a bounded number of problems', async () => {
      const many = Array.from({ length: historyLimits.problemsReported * 2 }, () => canonicalText({ type: 'Nonsense' }))
      expect((await verify([tickAfter(emptyHead, ticks[0]!.at, many, signed)])).problems).to.have.length(
        historyLimits.problemsReported,
      )
    })
  })

  describe('exportLog', () => {
    it('writes what was hashed, as it stands, between a first line and the hashes with their signatures', () => {
      expect(lines[0]).to.equal('{"carillon":"log","format":2}')
      const expected = ticks.flatMap((tick) => [
        headerLine(tick),
        ...tick.events,
        `{"hash":"${tick.hash}","signature":"${tick.signature}","tick":${tick.number}}`,
      ])
      expect(lines.slice(1)).to.deep.equal(expected)
    })

    it('waits for the writer, so that a slow one is not overrun', async () => {
      let writing = 0
      let most = 0
      await exportLog(each(ticks), async () => {
        writing += 1
        most = Math.max(most, writing)
        await new Promise((resolve) => setImmediate(resolve))
        writing -= 1
      })
      expect(most).to.equal(1)
    })
  })

  describe('importLog', () => {
    const importing = (text: readonly string[]): Promise<unknown> => importLog(each(text), folder)

    it('makes a store a node can go on with', async () => {
      expect(await importing([...lines, ''])).to.deep.equal(headAfter(ticks.at(-1)!))
      expect(statSync(join(folder, 'carillon.db')).mode & 0o777).to.equal(0o600)
      await acceptRestored(folder, { by: 'an operator' }, { key: virtual.key })
      const node = await startNode({ app: bank, store: folder, key: virtual.key })
      await node.run(MintCoin, { value: 60 })
      expect((await node.states(Coin)).map(({ data }) => data.value)).to.deep.equal([10, 20, 30, 40, 50, 60])
      expect((await verifyLog(node.readLog())).problems).to.deep.equal([])
      await node.stop()
    })

    it('refuses a folder that holds events, and leaves it alone', async () => {
      await importing(lines)
      const failure = await failureOf(importing(lines))
      expect(failure.code).to.equal('log-not-empty')
      expect(failure.message).to.include(folder)
    })

    it('fills a folder that is empty, or holds a store in which nothing ever happened, or what a killed import left', async () => {
      mkdirSync(folder)
      writeFileSync(join(folder, 'carillon.db.importing'), 'half a database')
      await importing([lines[0]!])
      expect(await importing(lines)).to.deep.equal(headAfter(ticks.at(-1)!))
      expect(readdirSync(folder).filter((file) => file.includes('importing'))).to.deep.equal([])
    })

    it('refuses a file that is cut off anywhere inside a tick, naming the line', async () => {
      const boundaries = new Set([1])
      lines.forEach((line, index) => {
        if (line.startsWith('{"hash"')) boundaries.add(index + 1)
      })
      for (let length = 0; length < lines.length; length++) {
        if (boundaries.has(length)) continue
        const failure = await failureOf(importing(lines.slice(0, length)))
        expect(failure.code).to.equal('import-invalid')
        expect(failure.message).to.include(`Line ${length + 1} `)
        expect(existsSync(folder), 'nothing is left behind').to.equal(false)
      }
    })

    it('refuses any line that was changed, left out, doubled or swapped', () =>
      fc.assert(
        fc.asyncProperty(
          fc.nat({ max: lines.length - 2 }),
          fc.constantFrom('cut', 'drop', 'double', 'swap', 'space', 'blank', 'text'),
          async (place, how) => {
            const line = lines[place]!
            const altered = {
              cut: () => lines.with(place, line.slice(0, -1)),
              drop: () => lines.toSpliced(place, 1),
              double: () => lines.toSpliced(place, 0, line),
              swap: () => lines.with(place, lines[place + 1]!).with(place + 1, line),
              space: () => lines.with(place, `${line} `),
              blank: () => lines.toSpliced(place, 0, ''),
              text: () => lines.with(place, 'Dear diary'),
            }[how]()
            const failure = await failureOf(importing(altered))
            expect(failure.code, failure.message).to.equal('import-invalid')
            // The fault shows in the tick of the line, or in that of the line it was swapped with.
            const tickBegins = lines.findLastIndex((text, index) => index <= place && text.startsWith('{"at"'))
            const tickEnds = lines.findIndex((text, index) => index > place && text.startsWith('{"hash"'))
            expect(failure.details['line'], failure.message).to.be.within(Math.max(tickBegins, 0) + 1, tickEnds + 2)
            expect(existsSync(folder)).to.equal(false)
          },
        ),
        { numRuns: 40 },
      ))

    it('refuses a log that verification would refuse, naming the line', async () => {
      const text: string[] = []
      await exportLog(
        each(
          forged(
            ticks,
            (event) => [event],
            ({ number, signature }) => (number > 1 ? '' : signature),
          ),
        ),
        (line) => void text.push(line),
      )
      const failure = await failureOf(importing(text))
      expect(failure.code).to.equal('import-invalid')
      const line = text.indexOf(ticks[1]!.events[0]!) + 1
      expect(failure.message).to.include(`Line ${line} `).and.to.include('tick 2 has no signature')
    })

    it('says so when the export or an event in it is of a newer version, or the export of one before the first', async () => {
      expect((await failureOf(importing(['{"carillon":"log","format":3}']))).code).to.equal('log-too-new')
      expect((await failureOf(importing(['{"carillon":"log","format":1}']))).code).to.equal('log-too-old')
      const text: string[] = []
      await exportLog(
        each(forged(ticks, (event) => [event.type === 'NodeStopped' ? { type: 'NodeHibernated' } : event])),
        (line) => void text.push(line),
      )
      expect((await failureOf(importing(text))).code).to.equal('log-too-new')
      expect(existsSync(folder)).to.equal(false)
    })

    it('passes on what the reader of the file throws, and leaves nothing behind', async () => {
      const broken = async function* (): AsyncGenerator<string> {
        yield* lines.slice(0, 5)
        await Promise.resolve()
        throw new Error('the tape is torn')
      }
      expect((await failureOf(importLog(broken(), folder))).message).to.equal('the tape is torn')
      expect(existsSync(folder)).to.equal(false)
    })
  })

  describe('foldLog', () => {
    it('refuses to fold a log that does not hold together', async () => {
      expect((await failureOf(foldLog(each(ticks.slice(1))))).code).to.equal('log-altered')
      const altered = { ...ticks[1]!, hash: sha256('') }
      expect((await failureOf(foldLog(each(ticks.with(1, altered))))).code).to.equal('log-altered')
    })

    it('refuses to fold anything that the node has not signed', async () => {
      const last = ticks.at(-1)!
      const endingWith = (signature: string) => foldLog(each([...ticks.slice(0, -1), { ...last, signature }]))
      expect((await failureOf(endingWith(''))).code).to.equal('tick-unsigned')
      expect((await failureOf(endingWith('x'.repeat(88)))).code).to.equal('tick-unsigned')
      expect((await failureOf(endingWith(signingWith(stranger)(last.hash)))).code).to.equal('tick-forged')
      expect((await failureOf(endingWith(ticks[0]!.signature))).code).to.equal('tick-forged')
      const rewritten = forged(ticks, (event) => [event.type === 'NodeStarted' ? { ...event, app: 'other' } : event])
      expect((await failureOf(foldLog(each(rewritten)))).code).to.equal('tick-forged')
      expect((await failureOf(foldLog(each([tickAfter(emptyHead, last.at, last.events, signed)])))).code).to.equal(
        'log-undecodable',
      )
    })
  })
})
