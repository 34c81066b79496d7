/**
 * `carillon status`: a node and its store on one screen.
 */
import type { Command } from 'commander'
import { holderOf, type Holder } from '../../folder/folderHolder.js'
import type { Health } from '../../http/answers.js'
import { showMark } from '../../storage/RestoredMark.js'
import { instantFromMillis, toMillis } from '../../time/Instant.js'
import type { Facts } from '../../storage/NodeFacts.js'
import { healthOf } from '../healthOf.js'
import { storeStatus, type StoreStatus } from '../storeStatus.js'
import { printable, type Terminal, type Tone } from '../Terminal.js'
import { storeHint, verb, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { shortRef, showCount, showDistance, showInstant } from '../words.js'

type Line = { readonly label: string; readonly text: string; readonly tone?: Tone }

const nodeLine = (holder: Holder | undefined, facts: Facts): Line => {
  if (holder !== undefined)
    return {
      label: 'node',
      text: `running (process ${holder.pid} on ${holder.host}, since ${holder.since})`,
      tone: 'green',
    }
  return facts.running
    ? { label: 'node', text: 'not running; it did not stop in good order, which costs nothing', tone: 'yellow' }
    : { label: 'node', text: 'not running' }
}

const attention = ({ activities, flows, store }: StoreStatus): readonly Line[] => {
  const lines: Line[] = []
  const waiting = activities.parked + activities.missed + activities.failed
  const hint = storeHint(store)
  if (waiting > 0)
    lines.push({
      label: 'attention',
      text: `${showCount(waiting, 'activity waits', 'activities wait')} for a hand: carillon agenda --show attention${hint}`,
      tone: 'red',
    })
  if (flows.parked > 0)
    lines.push({
      label: 'attention',
      text: `${showCount(flows.parked, 'flow is', 'flows are')} parked: carillon flow list --status parked${hint}`,
      tone: 'red',
    })
  return lines
}

const troubleLines = (health: Health | undefined): readonly Line[] =>
  health?.trouble === undefined
    ? []
    : [
        {
          label: 'trouble',
          text: `${health.trouble.code}: ${health.trouble.message} The node goes on trying by itself.`,
          tone: 'red',
        },
      ]

const describe = (
  status: StoreStatus,
  holder: Holder | undefined,
  health: Health | undefined,
  nowMs: number,
): readonly Line[] => {
  const { facts, activities, next, flows, states } = status
  return [
    { label: 'store', text: status.store },
    ...(status.log === undefined ? [] : [{ label: 'log', text: status.log }]),
    { label: 'party', text: facts.partyName ?? 'none yet' },
    { label: 'app', text: facts.app === null ? 'none yet' : `${facts.app} ${facts.appVersion ?? ''}` },
    nodeLine(holder, facts),
    ...troubleLines(health),
    ...(status.restored === undefined
      ? []
      : [
          {
            label: 'read-only',
            text: `the store ${showMark(status.restored)}. Let it go on with: carillon backup compare, or carillon backup go-on${storeHint(status.store)}`,
            tone: 'yellow',
          } as const,
        ]),
    ...(facts.draining
      ? [
          {
            label: 'draining',
            text: `nothing new is started; end it with: carillon drain end${storeHint(status.store)}`,
            tone: 'yellow',
          } as const,
        ]
      : []),
    {
      label: 'agenda',
      text: `${showCount(activities.scheduled, 'activity', 'activities')} scheduled${activities.paused === 0 ? '' : `, ${activities.paused.toLocaleString('en')} paused`}`,
    },
    ...(next === undefined
      ? []
      : [
          {
            label: 'next',
            text: `${next.flow ?? next.type} at ${showInstant(next.actsAt ?? next.due ?? instantFromMillis(nowMs))}, ${showDistance(next.actsAt ?? next.due ?? instantFromMillis(nowMs), nowMs)} (${shortRef(next.ref)})`,
          },
        ]),
    ...attention(status),
    {
      label: 'flows',
      text: `${flows.open.toLocaleString('en')} open${flows.paused === 0 ? '' : `, ${flows.paused.toLocaleString('en')} of them paused`}`,
    },
    ...states.map(({ type, unconsumed, consumed }, index) => ({
      label: index === 0 ? 'states' : '',
      text: `${type}: ${unconsumed.toLocaleString('en')} unconsumed, ${consumed.toLocaleString('en')} consumed`,
    })),
    {
      label: 'log',
      text:
        facts.head.revision < 0
          ? 'empty'
          : `${showCount(facts.head.revision + 1, 'event')}, the last at ${showInstant(instantFromMillis(facts.atMs))}, head ${facts.head.hash.slice(0, 12)}`,
    },
  ]
}

export const status = (real: Terminal): Command =>
  verb('status', 'show a node and its store on one screen', ['status', 'status --watch', 'status --json'])
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async ({ store, json }: StoreOptions) => {
        const holder = holderOf(store)
        const found = storeStatus(store)
        const health = await healthOf(store)
        const nowMs = health?.now === undefined ? Math.max(Date.now(), found.facts.atMs) : toMillis(health.now)
        if (json === true) {
          terminal.out(
            JSON.stringify({
              ...found,
              running: holder !== undefined,
              ...(holder === undefined ? {} : { holder }),
              ...(health?.trouble === undefined ? {} : { trouble: health.trouble }),
            }),
          )
          return
        }
        for (const { label, text, tone } of describe(found, holder, health, nowMs)) {
          const shown = printable(text)
          terminal.out(
            `${terminal.tone('dim', label.padEnd(10))} ${tone === undefined ? shown : terminal.tone(tone, shown)}`,
          )
        }
      }),
    )
