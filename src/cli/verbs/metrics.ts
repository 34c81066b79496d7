/**
 * `carillon metrics` and `carillon openapi`: what a running node says of itself to machines.
 */
import type { Command } from 'commander'
import { NodeApi } from '../NodeApi.js'
import { printable, type Terminal } from '../Terminal.js'
import { bareVerb, storeOption, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'

/** What is meant for machines is handed on as it came. */
const ask = async (terminal: Terminal, store: string, path: string): Promise<void> => {
  const { text } = await (await NodeApi.enter(store)).ask('GET', path)
  for (const line of text.trimEnd().split('\n')) terminal.out(printable(line))
}

export const metrics = (real: Terminal): Command =>
  bareVerb('metrics', 'print the metrics of a running node, in the text format of Prometheus', [
    'metrics',
    'metrics | grep lateness',
  ])
    .addOption(storeOption())
    .addOption(watchOption())
    .action(
      watching(
        real,
        (terminal) =>
          ({ store }: StoreOptions) =>
            ask(terminal, store, '/metrics'),
      ),
    )

export const openapi = (terminal: Terminal): Command =>
  bareVerb('openapi', 'print the OpenAPI document of a running node, with the addresses of its app', [
    'openapi > carillon.json',
  ])
    .addOption(storeOption())
    .action(({ store }: StoreOptions) => ask(terminal, store, '/openapi.json'))
