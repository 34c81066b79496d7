import { expect } from 'chai'
import { emptyRange } from '../encoding/MountainRange.js'
import { sha256 } from '../encoding/hash.js'
import { signCheckpoint } from '../log/Checkpoint.js'
import { keyPairFromSeed } from '../identity/KeyPair.js'
import { NetworkMap } from '../identity/NetworkMap.js'
import { restoreLimits } from './limits.js'
import { seededRandom } from '../testing/seededRandom.js'
import { VirtualTransport } from '../testing/VirtualTransport.js'
import { instant } from '../time/Instant.js'
import { VirtualClock } from '../time/VirtualClock.js'
import { askPeers } from './askPeers.js'

describe('Asking the other parties which checkpoints they keep', () => {
  const seat = (name: string) => ({ name, key: keyPairFromSeed(sha256(name)) })
  const [me, ann, ben] = [seat('me'), seat('Ann'), seat('Ben')]
  const network = new NetworkMap(
    [me, ann, ben].map(({ name, key }) => ({ party: { name, key: key.publicKey } })),
    sha256('a network'),
  )
  const checkpointBy = (key: typeof me.key) =>
    signCheckpoint(
      key,
      { tick: 1, revision: 1, hash: sha256(''), signature: '' },
      { network: network.id, range: emptyRange },
    )

  const scene = () => {
    const clock = new VirtualClock(instant('2026-01-01T00:00:00Z'))
    const transport = new VirtualTransport(clock, seededRandom('a seed'))
    const answering = (who: typeof ann, checkpoint?: ReturnType<typeof checkpointBy>): void => {
      const end = transport.endpoint(who.key.publicKey)
      end.listen((from) =>
        end.send(from, [{ kind: 'checkpoint-kept', ...(checkpoint === undefined ? {} : { checkpoint }) }]),
      )
    }
    const pass = async (): Promise<void> => {
      for (let second = 0; second <= restoreLimits.partiesAnswerMs / 1_000; second++) {
        clock.setTo(clock.now() + 1_000)
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const ask = async (...matter: readonly (typeof ann)[]) => {
      const peers = { transport: transport.endpoint(me.key.publicKey), network, clock }
      const mattering = new Set(matter.map(({ key }) => key.publicKey))
      const asked = askPeers(peers, me.key.publicKey, mattering, (key) => key === me.key.publicKey)
      const [answers] = await Promise.all([asked, pass()])
      return answers
    }
    return { answering, ask }
  }

  it('gives what each of them keeps, or that it keeps nothing', async () => {
    const { answering, ask } = scene()
    const checkpoint = checkpointBy(me.key)
    answering(ann, checkpoint)
    answering(ben)
    const { answered, silent } = await ask(ann, ben)
    expect([...answered.values()]).to.deep.equal([checkpoint, undefined])
    expect(silent).to.deep.equal([])
  })

  it('names those who matter and did not answer, and is silent about the others', async () => {
    const { answering, ask } = scene()
    answering(ann, checkpointBy(me.key))
    expect((await ask(ann, ben)).silent.map(({ name }) => name)).to.deep.equal(['Ben'])
    expect((await ask(ann)).silent).to.deep.equal([])
  })

  it('takes no checkpoint that it has not signed itself for an answer', async () => {
    const { answering, ask } = scene()
    answering(ann, checkpointBy(ann.key))
    answering(ben, { ...checkpointBy(me.key), revision: 99 })
    const { answered, silent } = await ask(ann, ben)
    expect(answered.size).to.equal(0)
    expect(silent).to.have.lengthOf(2)
  })
})
