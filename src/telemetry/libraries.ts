/**
 * The libraries that tell others about a node, each loaded when it is first used: few apps use all of them, and loading
 * them takes longer than loading the rest of Carillon.
 */
import { createRequire } from 'node:module'
import type * as OpenTelemetry from '@opentelemetry/api'
import type * as Pino from 'pino'
import type * as Prometheus from 'prom-client'

const load = createRequire(import.meta.url)

export const openTelemetry = (): typeof OpenTelemetry => load('@opentelemetry/api') as typeof OpenTelemetry
export const pinoLogger = (): typeof Pino => load('pino') as typeof Pino
export const prometheus = (): typeof Prometheus => load('prom-client') as typeof Prometheus
