/**
 * The systems that are measured beside ours. They are loaded only in the process that runs them, since some need a later
 * Node than ours does.
 */
import type { System } from './System.js'

export type ServerKind = 'postgres' | 'redis' | 'restate'

type Known = { readonly title: string; readonly server: ServerKind; readonly load: () => Promise<System> }

export const systems = {
  restate: {
    title: 'Restate',
    server: 'restate',
    load: async () => (await import('./systems/restate.js')).restateSystem,
  },
  dbos: { title: 'DBOS', server: 'postgres', load: async () => (await import('./systems/dbos.js')).dbos },
  openworkflow: {
    title: 'OpenWorkflow',
    server: 'postgres',
    load: async () => (await import('./systems/openWorkflow.js')).openWorkflow,
  },
  'pg-boss': { title: 'pg-boss', server: 'postgres', load: async () => (await import('./systems/pgBoss.js')).pgBoss },
  'graphile-worker': {
    title: 'graphile-worker',
    server: 'postgres',
    load: async () => (await import('./systems/graphileWorker.js')).graphileWorker,
  },
  bullmq: { title: 'BullMQ', server: 'redis', load: async () => (await import('./systems/bullmq.js')).bullmq },
} satisfies Record<string, Known>

export type SystemName = keyof typeof systems

export const isSystemName = (text: string): text is SystemName => Object.hasOwn(systems, text)
