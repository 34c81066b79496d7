/**
 * `carillon/telemetry`: metrics, traces and log lines of a node.
 */

// App and node
export type { LogFields, Logger } from '../engine/Logger.js'

// HTTP and telemetry
export { NodeMetrics } from '../telemetry/NodeMetrics.js'
export { instrumentNode } from '../telemetry/instrumentNode.js'
export { jsonLogger, type JsonLoggerOptions } from '../telemetry/jsonLogger.js'
export { logOutcomes } from '../telemetry/logOutcomes.js'
