/**
 * Judges the ledger in a campaign's log: no transaction twice, no state consumed twice, no chain broken. It keeps
 * its own small model and leans on no view, so that it cannot share a mistake with them.
 */
import { isLeft } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { Encoded } from '../../src/encoding/canonical.js'
import { showRef } from '../../src/ledger/StateRef.js'
import { isSignedBy } from '../../src/log/TickSigner.js'
import { emptyHead, hashAfterTick, headAfter } from '../../src/log/Tick.js'
import { toMillis } from '../../src/time/Instant.js'
import { beatEveryMs, Heart, HeartDataC } from './crashApp.js'
import type { Evidence } from './Evidence.js'

export const checkChain = ({ ticks, events }: Evidence): readonly string[] => {
  const faults: string[] = []
  const started = events[0]?.event
  if (started?.type !== 'NodeStarted') return ['the log does not begin with the start of a node']
  const signer = { key: started.party.key, network: started.network }
  let head = emptyHead
  for (const tick of ticks) {
    const follows = tick.number === head.tick + 1 && tick.firstRevision === head.revision + 1
    if (!follows || hashAfterTick(head, tick) !== tick.hash)
      faults.push(`tick ${tick.number} does not follow tick ${head.tick}: the hash chain is broken`)
    if (!isSignedBy(tick, signer)) faults.push(`tick ${tick.number} is not signed by its node`)
    head = headAfter(tick)
  }
  return faults
}

type HeartData = t.TypeOf<typeof HeartDataC>
type Produced = { readonly ref: string; readonly data: HeartData; readonly inputs: readonly string[] }

const checkHearts = (chain: number, hearts: readonly Produced[]): readonly string[] => {
  const faults: string[] = []
  let before: Produced | undefined
  for (const heart of hearts) {
    const { beat, firstBeatAt, nextBeatAt } = heart.data
    const expected = before === undefined ? 0 : before.data.beat + 1
    if (beat !== expected) faults.push(`chain ${chain}: beat ${beat} was recorded where beat ${expected} was to come`)
    if (toMillis(nextBeatAt) !== toMillis(firstBeatAt) + beat * beatEveryMs)
      faults.push(`chain ${chain}: beat ${beat} has drifted to ${nextBeatAt}`)
    const inputs = before === undefined ? [] : [before.ref]
    if (heart.inputs.join() !== inputs.join())
      faults.push(`chain ${chain}: beat ${beat} consumed [${heart.inputs.join()}], not the beat before it`)
    before = heart
  }
  return faults
}

export const checkLedger = ({ events }: Evidence): readonly string[] => {
  const faults: string[] = []
  const transactions = new Set<string>()
  const consumedBy = new Map<string, string>()
  const produced = new Set<string>()
  const hearts = new Map<number, Produced[]>()
  for (const { event } of events) {
    if (event.type !== 'TransactionRecorded' || event.body instanceof Encoded) continue
    const { id, body } = event
    if (transactions.has(id)) faults.push(`transaction ${id} is recorded twice`)
    transactions.add(id)
    const inputs = body.inputs.map(showRef)
    for (const ref of inputs) {
      if (!produced.has(ref)) faults.push(`transaction ${id} consumes ${ref}, which nothing produced`)
      const consumer = consumedBy.get(ref)
      if (consumer !== undefined) faults.push(`state ${ref} is consumed by ${consumer} and again by ${id}`)
      consumedBy.set(ref, id)
    }
    body.outputs.forEach(({ type, data }, index) => {
      const ref = showRef({ transaction: id, index })
      produced.add(ref)
      if (type !== Heart.type) return
      const heart = HeartDataC.decode(data)
      if (isLeft(heart)) {
        faults.push(`state ${ref} is not a heart`)
        return
      }
      const chain = hearts.get(heart.right.chain) ?? []
      chain.push({ ref, data: heart.right, inputs })
      hearts.set(heart.right.chain, chain)
    })
  }
  for (const [chain, beats] of hearts) faults.push(...checkHearts(chain, beats))
  return faults
}
