import { expect } from 'chai'
import type { DomainEvent } from '../log/events.js'
import { ownNetworkId } from '../identity/NetworkId.js'
import { testParty } from '../testing/index.js'
import { LeaderWatch } from './LeaderWatch.js'

const leaseMs = 10_000
const party = testParty('Ann')

describe('A process that watches its leader', () => {
  let now = 0

  const watch = (isRunning = true): LeaderWatch => new LeaderWatch(leaseMs, isRunning, () => now)
  const started = (lease?: number): DomainEvent => ({
    type: 'NodeStarted',
    reason: 'start',
    party,
    app: 'app',
    appVersion: '1.0.0',
    term: 1,
    format: 1,
    carillon: '0.1.0',
    network: ownNetworkId(party.key),
    ...(lease === undefined ? {} : { leaseMs: lease }),
  })
  const renewed = (lease: number): DomainEvent => ({ type: 'LeaseRenewed', term: 1, leaseMs: lease })
  const stopped: DomainEvent = { type: 'NodeStopped' }

  beforeEach(() => {
    now = 1_000_000
  })

  it('waits for a whole lease from when it began to watch, and not a millisecond more', () => {
    const watching = watch()
    now += leaseMs - 1
    expect(watching.remainingMs()).to.equal(1)
    now += 1
    expect(watching.remainingMs()).to.equal(0)
    now += 5_000
    expect(watching.remainingMs()).to.equal(0)
  })

  it('does not wait where nobody leads', () => {
    expect(watch(false).remainingMs()).to.equal(0)
  })

  it('waits anew from each tick of the leader, whatever is in it', () => {
    const watching = watch()
    now += leaseMs - 1
    watching.hear([])
    expect(watching.remainingMs()).to.equal(leaseMs)
    expect(watching.silentMs()).to.equal(0)
    now += 3
    expect(watching.silentMs()).to.equal(3)
  })

  it('waits for the longest lease that it has heard of, from a start or a renewal', () => {
    const watching = watch()
    watching.hear([started(3 * leaseMs)])
    expect(watching.remainingMs()).to.equal(3 * leaseMs)
    watching.hear([renewed(2 * leaseMs)])
    expect(watching.remainingMs()).to.equal(3 * leaseMs)
    watching.hear([renewed(4 * leaseMs)])
    expect(watching.remainingMs()).to.equal(4 * leaseMs)
    watching.hear([started()])
    expect(watching.remainingMs()).to.equal(4 * leaseMs)
  })

  it('waits no longer once the leader has stopped, until another has started', () => {
    const watching = watch()
    watching.hear([stopped])
    expect(watching.remainingMs()).to.equal(0)
    watching.hear([renewed(leaseMs)])
    expect(watching.remainingMs(), 'a renewal is no start').to.equal(0)
    watching.hear([started()])
    expect(watching.remainingMs()).to.equal(leaseMs)
    watching.hear([started(), stopped])
    expect(watching.remainingMs(), 'the last word counts').to.equal(0)
  })

  it('takes what it has only now caught up with for a sign of life of now', () => {
    const watching = watch()
    now += leaseMs
    watching.heardOf(true)
    expect(watching.remainingMs()).to.equal(leaseMs)
    expect(watching.silentMs()).to.equal(0)
    watching.heardOf(false)
    expect(watching.remainingMs()).to.equal(0)
    watching.heardOf(true)
    expect(watching.remainingMs()).to.equal(leaseMs)
  })

  it('knows whether a leader was alive while it watched', () => {
    const watching = watch()
    expect(watching.hasHeard).to.equal(false)
    now += 1
    expect(watching.hasHeard).to.equal(false)
    watching.hear([])
    expect(watching.hasHeard).to.equal(true)
    const late = watch()
    late.heardOf(false)
    expect(late.hasHeard).to.equal(true)
  })
})
