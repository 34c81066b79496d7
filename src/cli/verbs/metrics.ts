/**
 * `carillon metrics` and `carillon openapi`: what a running node says of itself to machines.
 */
import type { Command } from 'commander'
import { NodeApi, type NodePlace } from '../NodeApi.js'
import { printable, type Terminal } from '../Terminal.js'
import { bareVerb, withPlace, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'

/** What is meant for machines is handed on as it came. */
const ask = async (terminal: Terminal, place: NodePlace, path: string): Promise<void> => {
  const { text } = await NodeApi.at(place).ask('GET', path)
  for (const line of text.trimEnd().split('\n')) terminal.out(printable(line))
}

export const metricsVerb = (real: Terminal): Command =>
  withPlace(
    bareVerb('metrics', 'print the metrics of a running node, in the text format of Prometheus', [
      'metrics',
      'metrics | grep lateness',
    ]),
  )
    .addOption(watchOption())
    .action(watching(real, (terminal) => (place: ApiOptions) => ask(terminal, place, '/metrics')))

export const openapiVerb = (terminal: Terminal): Command =>
  withPlace(
    bareVerb('openapi', 'print the OpenAPI document of a running node, with the addresses of its app', [
      'openapi > carillon.json',
    ]),
  ).action((place: ApiOptions) => ask(terminal, place, '/openapi.json'))
