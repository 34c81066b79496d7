/**
 * What a node says about a clock that jumps.
 */
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, startNode, type FlowBody, type Node } from '../../src/index.js'
import type { LogFields } from '../../src/entries/telemetry.js'

const startMs = Date.parse('2026-01-01T12:00:00.000Z')

const Nothing = defineFlow({
  name: 'jumps/Nothing',
  input: t.strict({}),
  *run(): FlowBody<null> {
    return null
  },
})
const app = defineApp({ name: 'jumps', states: [], flows: [Nothing] })

describe('a clock that jumps', () => {
  let nowMs: number
  let steadyMs: number
  let lines: LogFields[]
  let node: Node

  const pass = async (ms: number, jumpMs = 0): Promise<void> => {
    steadyMs += ms
    nowMs += ms + jumpMs
    await node.run(Nothing, {})
  }

  beforeEach(async () => {
    nowMs = startMs
    steadyMs = 5_000
    lines = []
    node = await startNode({
      app,
      clock: { now: () => nowMs, steadyMs: () => steadyMs, wakeAt: () => () => undefined },
      logger: {
        info: () => undefined,
        error: () => undefined,
        warn: (message, fields) => lines.push({ message, ...fields }),
      },
    })
  })
  afterEach(() => node.stop())

  for (const [where, jumpMs] of [
    ['ahead', 7_200_000],
    ['back', -7_200_000],
  ] as const)
    it(`${where} is logged once, with both times`, async () => {
      await pass(60_000)
      expect(lines).to.deep.equal([])
      await pass(1_000, jumpMs)
      await pass(1_000)
      expect(lines).to.have.length(1)
      expect(lines[0]).to.include({
        from: '2026-01-01T12:01:01.000Z',
        to: new Date(startMs + 61_000 + jumpMs).toISOString(),
        byMs: jumpMs,
      })
    })
})
