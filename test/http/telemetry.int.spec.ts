import { trace, type Span, type SpanOptions, type Tracer, type TracerProvider } from '@opentelemetry/api'
import { expect } from 'chai'
import { instrumentNode, jsonLogger, logOutcomes } from '../../src/index.js'
import { Belfry, Hang } from './belfry.js'

type Told = { readonly name: string; readonly options: SpanOptions; ended: boolean; isError: boolean }

/** A provider that remembers, in place of the one an operator would install. */
const remembering = (told: Told[]): TracerProvider => ({
  getTracer: () => {
    const startSpan = (name: string, options: SpanOptions = {}): Span => {
      const one: Told = { name, options, ended: false, isError: false }
      told.push(one)
      const span = {
        setAttribute: () => span,
        setStatus: () => {
          one.isError = true
          return span
        },
        end: () => {
          one.ended = true
        },
      } as unknown as Span
      return span
    }
    return { startSpan } as unknown as Tracer
  },
})

describe('what a node tells of itself', () => {
  let belfry: Belfry

  beforeEach(async () => {
    belfry = await Belfry.open()
  })
  afterEach(() => belfry.close())

  const ringAll = async (): Promise<void> => {
    await belfry.node.run(Hang, { name: 'Cracked', minutes: 1, manner: 'cracked' })
    await belfry.virtual.advanceBy({ minutes: 2 })
  }

  it('is lines of JSON with the flow, the state and the code, and never a secret', async () => {
    const lines: string[] = []
    const logger = jsonLogger({ to: { write: (line) => void lines.push(line) }, fields: { node: 'Quasimodo' } })
    const stop = logOutcomes(belfry.node, logger)
    await ringAll()
    stop()
    logger.warn('careful', { token: 'crl_secret' })
    const [failed, careful] = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(failed).to.include({ level: 'warn', node: 'Quasimodo', code: 'flow-threw' })
    expect(failed!['flow']).to.match(/^[0-9a-f]{32}$/)
    expect(careful).to.include({ message: 'careful' })
    expect(lines.join('')).not.to.contain('crl_secret')
  })

  it('is a span for each flow that ended, from its start to its end', async () => {
    const told: Told[] = []
    trace.setGlobalTracerProvider(remembering(told))
    const stop = instrumentNode(belfry.node)
    await ringAll()
    await new Promise((resolve) => setImmediate(resolve))
    stop()
    trace.disable()
    expect(told.map(({ name, ended, isError }) => [name, ended, isError])).to.deep.equal([
      ['flow belfry/Hang', true, false],
      ['flow belfry/Ring', true, true],
    ])
    expect(told[1]!.options.attributes).to.include({ 'carillon.lateness_ms': 0, 'carillon.attempt': 1 })
  })
})
