/**
 * Quasimodo and his heart: a beat a second. It skips what it has missed while the demo was away.
 */
import { join } from 'node:path'
import { startNode } from 'carillon'
import { definePanel, type Panel } from 'carillon/http'
import { app, StartHeartbeat } from '../heartbeat/app.js'
import { Heartbeat } from '../heartbeat/Heartbeat.js'
import { alone, type Household } from './Household.js'

const panel: Panel = definePanel({
  name: 'heart',
  title: 'Heart',
  summary: 'Each beat is a transaction that asks for the next.',
  read: async (node) => [
    {
      kind: 'lamps',
      lamps: (await node.states(Heartbeat)).map(({ ref, data }) => ({
        key: data.name,
        label: data.name,
        tone: 'green' as const,
        text: `${data.beats.toLocaleString('en')} beats`,
        facts: [
          { label: 'Next beat', value: { instant: data.nextBeatAt } },
          { label: 'Missed and skipped', value: data.skipped },
          { label: 'Beats since', value: { instant: data.startedAt } },
          { label: 'State', value: { ref } },
        ],
      })),
      empty: 'No heart beats here.',
    },
  ],
})

export const openHeart = async (folder: string): Promise<Household> => {
  const store = join(folder, 'heart')
  const node = await startNode({ app, store, party: 'Quasimodo' })
  if ((await node.states(Heartbeat)).length === 0)
    await node.run(StartHeartbeat, { name: 'Emmanuel', intervalMs: 1_000, missedBeats: 'skip' })
  return alone({ served: { node, panels: [panel] }, store, about: 'a heart that beats every second' })
}
