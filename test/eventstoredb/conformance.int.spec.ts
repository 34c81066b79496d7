import { describeEventLog } from '../log/conformance.js'
import { describeFaults, type LogFault } from '../log/faults.js'
import { until } from './mint.js'
import { itNeedsFaults, realUrl, serverName, ServerUnderTest } from './serverUnderTest.js'

describeEventLog(
  `EventStoreDbLog on ${serverName}`,
  async () => {
    const server = await ServerUnderTest.start()
    return {
      open: () => server.open(),
      ...(realUrl === undefined ? { cut: () => server.cluster.servers[0]!.cut() } : {}),
      manyTicks: 1_000,
      remove: () => server.close(),
    }
  },
  itNeedsFaults,
)

const faults = ['away', 'silent', 'cut', 'denied', 'metadata denied', 'disk full', 'unknown error', 'tombstone']

const quick = { answerMs: 300, proveMs: 150, idleMs: 100, checkMs: 60_000 }

describeFaults(
  'EventStoreDbLog',
  faults,
  async () => {
    const server = await ServerUnderTest.start()
    const [one] = server.cluster.servers
    const restarted = async (): Promise<void> => {
      await until('the server has ended itself', () => !one!.isRunning)
      await one!.resume()
    }
    const known: readonly LogFault[] = [
      { name: 'away', begin: () => one!.stop(), end: () => one!.resume() },
      { name: 'silent', begin: () => one!.freeze(), end: () => one!.thaw() },
      { name: 'cut', begin: () => one!.cut(), end: () => undefined },
      { name: 'denied', begin: () => void (one!.faults.denies = true), end: () => void (one!.faults.denies = false) },
      {
        name: 'metadata denied',
        begin: () => void (one!.faults.deniesMetadata = true),
        end: () => void (one!.faults.deniesMetadata = false),
      },
      { name: 'disk full', begin: () => one!.faults.next('disk full'), end: restarted },
      { name: 'unknown error', begin: () => one!.faults.next('unknown error'), end: () => undefined },
      { name: 'tombstone', begin: () => server.cluster.store.tombstone(server.stream) },
    ]
    return {
      open: () => server.open(quick),
      fault: (name) => known.find((fault) => fault.name === name)!,
      remove: () => server.close(),
    }
  },
  itNeedsFaults,
)
