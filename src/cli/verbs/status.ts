/**
 * `carillon status`: a node and its store on one screen.
 */
import type { Command } from 'commander'
import { holderOf, type Holder } from '../../folder/folderHolder.js'
import type * as t from 'io-ts'
import { StatusC, type Health } from '../../http/answers.js'
import { showMark } from '../../engine/RestoredMark.js'
import { instantFromMillis, toMillis } from '../../time/Instant.js'
import type { NodeFacts } from '../../log/NodeTables.js'
import { healthOf } from '../healthOf.js'
import { NodeApi } from '../NodeApi.js'
import { storeStatus, type StoreStatus } from '../storeStatus.js'
import { factLines, printJson, type Fact } from '../print.js'
import type { Terminal } from '../Terminal.js'
import { apiVerb, placeHint, storeHint, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { shortRef, showCount, showDistance, showInstant } from '../words.js'

const nodeLine = (holder: Holder | undefined, facts: NodeFacts): Fact => {
  if (holder !== undefined)
    return ['node', `running (process ${holder.pid} on ${holder.host}, since ${holder.since})`, 'green']
  return facts.running
    ? ['node', 'not running; it did not stop in good order, which costs nothing', 'yellow']
    : ['node', 'not running']
}

const show = (count: number): string => count.toLocaleString('en')

const when = (isSo: boolean, text: string): string | undefined => (isSo ? text : undefined)

/** What there is to do, and what needs attention. */
const workOf = (
  activities: StoreStatus['activities'],
  flows: StoreStatus['flows'],
  hint: string,
  next?: string,
): readonly Fact[] => {
  const waiting = activities.parked + activities.missed + activities.failed + activities.unconsumed
  return [
    [
      'agenda',
      `${showCount(activities.scheduled, 'activity', 'activities')} scheduled${activities.paused === 0 ? '' : `, ${show(activities.paused)} paused`}`,
    ],
    ['next', next],
    [
      'attention',
      when(
        waiting > 0,
        `${showCount(waiting, 'activity needs', 'activities need')} attention: carillon agenda --show attention${hint}`,
      ),
      'red',
    ],
    [
      'attention',
      when(
        flows.parked + flows.superseded > 0,
        `${showCount(flows.parked + flows.superseded, 'flow needs', 'flows need')} attention: carillon flow list --status attention${hint}`,
      ),
      'red',
    ],
    ['flows', `${show(flows.open)} open${flows.paused === 0 ? '' : `, ${show(flows.paused)} of them paused`}`],
  ]
}

const describe = (
  status: StoreStatus,
  holder: Holder | undefined,
  health: Health | undefined,
  nowMs: number,
): readonly Fact[] => {
  const { facts, activities, next, flows, states, restored } = status
  const hint = storeHint(status.store)
  const nextAt = next?.actsAt ?? next?.due ?? instantFromMillis(nowMs)
  return [
    ['store', status.store],
    ['log', status.log],
    ['party', facts.partyName ?? 'none yet'],
    ['app', facts.app === null ? 'none yet' : `${facts.app} ${facts.appVersion ?? ''}`],
    nodeLine(holder, facts),
    [
      'trouble',
      health?.trouble && `${health.trouble.code}: ${health.trouble.message} The node goes on trying by itself.`,
      'red',
    ],
    [
      'read-only',
      restored &&
        `the store ${showMark(restored)}. Let it go on with: carillon backup compare, or carillon backup go-on${hint}`,
      'yellow',
    ],
    ['draining', when(facts.draining, `nothing new is started; end it with: carillon drain end${hint}`), 'yellow'],
    ...workOf(
      activities,
      flows,
      hint,
      next &&
        `${next.flow ?? next.type} at ${showInstant(nextAt)}, ${showDistance(nextAt, nowMs)} (${shortRef(next.ref)})`,
    ),
    ...states.map(({ type, unconsumed, consumed }, index): Fact => [
      index === 0 ? 'states' : '',
      `${type}: ${show(unconsumed)} unconsumed, ${show(consumed)} consumed`,
    ]),
    [
      'log',
      facts.head.revision < 0
        ? 'empty'
        : `${showCount(facts.head.revision + 1, 'event')}, the last at ${showInstant(instantFromMillis(facts.atMs))}, head ${facts.head.hash.slice(0, 12)}`,
    ],
  ]
}

/** A node that is elsewhere tells of itself; what lies in its folder is not to be seen from here. */
const describeNode = (status: t.TypeOf<typeof StatusC>, place: ApiOptions): readonly Fact[] => {
  const { app, party, activities, flows, head, trouble } = status
  const hint = placeHint(place)
  return [
    ['node', status.node],
    ['party', party.name],
    ['app', `${app.name} ${app.version}`],
    ['now', showInstant(status.now)],
    ['trouble', trouble && `${trouble.code}: ${trouble.message} The node goes on trying by itself.`, 'red'],
    ['draining', when(status.draining, `nothing new is started; end it with: carillon drain end${hint}`), 'yellow'],
    ...workOf(activities, flows, hint),
    ['log', `${showCount(head.revision + 1, 'event')}, head ${head.hash.slice(0, 12)}`],
  ]
}

export const statusVerb = (real: Terminal): Command =>
  apiVerb('status', 'show a node and its store on one screen', ['status', 'status --watch', 'status --json'])
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async (options: ApiOptions) => {
        const { store, url, json } = options
        const print = (document: unknown, facts: () => readonly Fact[]): void => {
          if (!printJson(terminal, json, document)) for (const line of factLines(terminal, facts())) terminal.out(line)
        }
        if (url !== undefined) {
          const found = await NodeApi.at(options).get('/status', {}, StatusC)
          print(found, () => describeNode(found, options))
          return
        }
        const holder = holderOf(store)
        const found = storeStatus(store)
        const health = await healthOf(options)
        const nowMs = health?.now === undefined ? Math.max(Date.now(), found.facts.atMs) : toMillis(health.now)
        const document = {
          ...found,
          running: holder !== undefined,
          ...(holder === undefined ? {} : { holder }),
          ...(health?.trouble === undefined ? {} : { trouble: health.trouble }),
        }
        print(document, () => describe(found, holder, health, nowMs))
      }),
    )
