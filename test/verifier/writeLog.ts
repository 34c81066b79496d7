/**
 * Logs that a test writes with real keys: changes of keys, joined networks, restarts, and transactions of several parties.
 */
import { canonicalText } from '../../src/encoding/canonical.js'
import { sha256 } from '../../src/encoding/hash.js'
import { ownNetworkId, type NetworkId } from '../../src/identity/NetworkId.js'
import { exportFirstLine } from '../../src/history/exportLog.js'
import type { Chance } from '../../src/testing/simulation/Chance.js'
import { rechain, renumber, signRightly, type FileTick, type LogFile, type Signer } from './LogFile.js'
import { writeTransaction } from './writeTransaction.js'
import { forgeKeyChange, WrittenParty } from './WrittenParty.js'

const started = (party: WrittenParty, network: NetworkId, term: number): object => ({
  ...{ type: 'NodeStarted', reason: term === 1 ? 'start' : 'takeover', app: 'test', appVersion: '1.0.0', term },
  ...{ party: { name: party.name, key: party.identity }, format: 2, carillon: '0.1.0', network },
  ...(term === 2 ? { process: 'p', leaseMs: 5, map: { root: party.identity, serial: 1 } } : {}),
})

const plainEvents: readonly object[] = [
  { type: 'LeaseRenewed', term: 1, leaseMs: 10 },
  { type: 'FlowStarted', flow: 'f', name: 'test/Flow', version: 1, input: null, origin: { kind: 'client', by: 'me' } },
  { type: 'FlowEnded', flow: 'f', outcome: 'completed', result: { a: [1, 2.5, -3], b: 'ü' } },
  { type: 'RestoreAccepted', by: 'me', revision: 3, checkpoints: 0 },
]

/** Writes the events of a log and keeps track of who signs which tick. */
class Writer {
  readonly #own = new WrittenParty('Own')
  readonly #others = ['Ann', 'Ben', 'Notary'].map((name) => new WrittenParty(name))
  #signer: Signer
  #next: Signer
  #terms = 0

  constructor(
    readonly chance: Chance,
    readonly mayForge: boolean,
  ) {
    this.#signer = { key: this.#own.current, network: ownNetworkId(this.#own.identity) }
    this.#next = this.#signer
  }

  tick(count: number): FileTick {
    this.#signer = this.#next
    const events = Array.from({ length: count }, () => canonicalText(this.#event()))
    return {
      ...{ at: '2026-01-01T00:00:00.000Z', count, revision: 0, tick: 0, endsTick: 0, hash: '', signature: '' },
      ...{ events, signer: this.#signer },
    }
  }

  #event(): object {
    if (this.#terms === 0) return this.#start()
    const { network } = this.#signer
    switch (this.chance.below(12)) {
      case 0:
        return this.#start()
      case 1:
        this.#next = { ...this.#next, network: sha256(`network ${this.chance.below(3)}`) }
        return { type: 'NetworkJoined', network: this.#next.network }
      case 2:
        return this.#change(this.#own)
      case 3:
        return this.#change(this.chance.pick(this.#others))
      case 4:
      case 5:
        return this.chance.pick(plainEvents)
      default:
        return writeTransaction({
          ...{ chance: this.chance, network, own: this.#own, others: this.#others, mayForge: this.mayForge },
        })
    }
  }

  #start(): object {
    this.#terms += 1
    const isForged = this.mayForge && this.#terms > 1 && this.chance.oneIn(4)
    return started(isForged ? this.chance.pick(this.#others) : this.#own, this.#signer.network, this.#terms)
  }

  #change(party: WrittenParty): object {
    const { network } = this.#signer
    if (!this.mayForge || this.chance.oneIn(2)) {
      const change = party.changeKey(this.chance, network)
      if (party === this.#own) this.#next = { ...this.#next, key: party.current }
      return { type: 'KeyChanged', change }
    }
    const { change, to } = forgeKeyChange(this.chance, network, party, [this.#own, ...this.#others])
    // What is forged has its effect all the same, so the log goes on with the key that it names.
    if (change.party === this.#own.identity) this.#next = { ...this.#next, key: to }
    return { type: 'KeyChanged', change }
  }
}

/** A log with real signatures. One that `mayForge` holds events that do not hold; the other is sound. */
export const writeLog = (chance: Chance, mayForge: boolean): LogFile => {
  const writer = new Writer(chance, mayForge)
  const ticks = Array.from({ length: chance.between(1, 7) }, () => writer.tick(chance.between(1, 4)))
  return { firstLine: exportFirstLine, ticks: rechain(renumber(ticks, 0), 0, signRightly) }
}
