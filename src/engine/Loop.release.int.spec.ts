import { expect } from 'chai'
import { Registry } from '../app/Registry.js'
import { type CarillonError, messageOf } from '../errors/CarillonError.js'
import { FlowEngine } from './FlowEngine.js'
import { generateKeyPair } from '../identity/KeyPair.js'
import { NetworkMap } from '../identity/NetworkMap.js'
import { defineApp } from '../index.js'
import { tickLimits } from './limits.js'
import { instant } from '../time/Instant.js'
import { VirtualClock } from '../time/VirtualClock.js'
import { EmbeddedStore } from '../storage/EmbeddedStore.js'
import { silentLogger } from './Logger.js'
import { Loop } from './Loop.js'
import { SignedTransactionReader } from './readSignedTransaction.js'
import { systemRandom } from '../identity/systemRandom.js'
import type { LoopStore } from './LoopStore.js'

describe('a tick that is released', () => {
  const inner = (): EmbeddedStore => EmbeddedStore.inMemory()

  const loopOn = (store: LoopStore): Loop => {
    const key = generateKeyPair()
    const me = { name: 'Me', key: key.publicKey }
    return new Loop({
      me,
      key,
      store,
      registry: new Registry(defineApp({ name: 'nothing', states: [], flows: [] })),
      network: NetworkMap.alone(me),
      signedTransactions: new SignedTransactionReader(store.tick, (tick) => store.views.facts.signerOf(tick)?.key),
      random: systemRandom,
      development: false,
      limits: tickLimits,
      clock: new VirtualClock(instant('2026-01-01T00:00:00.000Z')),
      engine: new FlowEngine({ start: () => undefined }),
      logger: silentLogger,
    })
  }

  /** A store that hands every tick over, and has committed it in the next turn. */
  const flying = (): LoopStore => {
    const store = inner()
    return {
      ...{ views: store.views, reader: store.reader, head: store.head, begin: store.begin, commit: store.commit },
      ...{ rollback: store.rollback, tick: store.tick, close: store.close },
      read: (fromRevision) => store.read(fromRevision),
      handOver: (tick) => {
        const outcome = store.commit(tick)
        return { outcome: () => outcome, whenDone: setImmediate }
      },
    }
  }

  for (const [kind, make] of [
    ['at once', inner],
    ['after its commit', flying],
  ] as const)
    it(`tells everyone who waits for it, though one of them cannot be told (${kind})`, async () => {
      const store = make()
      const loop = loopOn(store)
      const failures: CarillonError[] = []
      await loop.start((error) => failures.push(error))
      await loop.idle()
      const heard: number[] = []
      loop.follow(({ firstRevision }) => heard.push(firstRevision))
      const { head } = store.views.facts.now
      const answers = [1, 2, 3].map((number) =>
        loop.submit((decision) => {
          if (number === 2)
            decision.release(() => {
              throw new Error('nobody there')
            })
          decision.emit({ type: number === 2 ? 'DrainingStarted' : 'DrainingEnded', by: 'someone' })
          return number
        }),
      )
      expect(await Promise.all(answers)).to.deep.equal([1, 2, 3])
      await loop.tickOver()
      expect(heard).to.deep.equal([head.revision + 1])
      expect(failures.map(messageOf)).to.have.length(1)
      expect(messageOf(failures[0])).to.contain('nobody there')
      await store.close()
    })
})
