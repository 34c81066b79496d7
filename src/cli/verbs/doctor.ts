/**
 * `carillon doctor`: whether what a node stands on is sound, here and now: runtime, store, node, disk, clock, keys,
 * certificates, log, peers. Each check says what it found and, if need be, what to do; exit code 1 when one is bad.
 */
import { existsSync } from 'node:fs'
import { Option, type Command } from 'commander'
import { networkFolderOf } from '../../network/NetworkFolder.js'
import { readStore } from '../../folder/readStore.js'
import { ranOnVirtualTime } from '../../folder/storeClock.js'
import { storeFiles } from '../../folder/StoreFolder.js'
import { sqliteDriverName } from '../../storage/sqlite/openDatabase.js'
import { toMillis } from '../../time/Instant.js'
import { readFacts } from '../../storage/tables/NodeFactTable.js'
import { healthOf } from '../healthOf.js'
import { checkCertificates, checkKeyFiles, checkPeers } from '../doctor/checkIdentity.js'
import { checkClock, checkDisk, checkRuntime, freeBytesFor } from '../doctor/checkMachine.js'
import { checkLog, checkNode, checkStore } from '../doctor/checkStore.js'
import { examine, type Finding } from '../doctor/Finding.js'
import { printable, type Terminal, type TextTone } from '../Terminal.js'
import { networkOption, verb, type StoreOptions } from '../verb.js'
import { printJson } from '../print.js'

type Options = StoreOptions & { readonly log?: string; readonly network?: string; readonly httpCert?: string }

const tones: Readonly<Record<Finding['state'], TextTone>> = { good: 'green', notice: 'yellow', bad: 'red' }
/** As wide as the longest name of a check. */
const nameWidth = 12

const partyKeyOf = (store: string): string | null =>
  existsSync(storeFiles(store).database) ? readStore(store, readFacts).partyKey : null

/** A store says so itself; and a node whose own time is far from the machine's has been given a virtual clock. */
const isVirtual = async (store: string): Promise<boolean> => {
  if (ranOnVirtualTime(store)) return true
  const now = (await healthOf({ store }))?.now
  return now !== undefined && Math.abs(toMillis(now) - Date.now()) > 60_000
}

const examineAll = async ({ store, log, network, httpCert }: Options): Promise<readonly Finding[]> => {
  const folder = networkFolderOf(store, network)
  const nowMs = Date.now()
  const findings = [
    await examine('runtime', (judge) => checkRuntime(judge, process.versions.node, sqliteDriverName())),
    await examine('store', (judge) => checkStore(judge, store)),
    await examine('node', (judge) => checkNode(judge, store)),
    await examine('disk', (judge) => checkDisk(judge, store, freeBytesFor(store))),
    await examine('clock', async (judge) => checkClock(judge, store, nowMs, await isVirtual(store))),
    await examine('keys', (judge) => checkKeyFiles(judge, store, folder)),
    await examine('certificates', (judge) => checkCertificates(judge, folder, partyKeyOf(store), httpCert, nowMs)),
    await examine('log', (judge) => checkLog(judge, store, log)),
    await examine('peers', (judge) => checkPeers(judge, folder, partyKeyOf(store))),
  ]
  return findings.flat()
}

export const doctorVerb = (terminal: Terminal): Command =>
  verb('doctor', 'check what a node stands on, and say what to do', [
    'doctor',
    'doctor --store local/Alice',
    'doctor --store /var/lib/app --log postgres://node@db.example/app?sslmode=verify-full',
  ])
    .addOption(new Option('--log <address>', 'where the log is kept, when not in the store').env('CARILLON_LOG'))
    .addOption(networkOption())
    .addOption(new Option('--http-cert <file>', 'the certificate that HTTP is served with, as PEM'))
    .action(async ({ json, ...options }: Options) => {
      const findings = await examineAll(options)
      if (!printJson(terminal, json, { findings }))
        for (const finding of findings) {
          const { check, state, text } = finding
          terminal.out(`${check.padEnd(nameWidth)} ${terminal.tone(tones[state], state.padEnd(6))} ${printable(text)}`)
          if (finding.state !== 'good') terminal.out(`${' '.repeat(nameWidth + 8)}→ ${printable(finding.todo)}`)
        }
      if (findings.some(({ state }) => state === 'bad')) terminal.fault()
    })
