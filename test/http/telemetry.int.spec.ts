import {
  metrics,
  trace,
  type Attributes,
  type BatchObservableCallback,
  type BatchObservableResult,
  type Meter,
  type Span,
  type SpanOptions,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import { expect } from 'chai'
import { instrumentNode, jsonLogger, logOutcomes } from '../../src/index.js'
import { Belfry, Hang, Park } from './belfry.js'

type Told = {
  readonly name: string
  readonly options: SpanOptions
  readonly events: string[]
  ended: boolean
  isError: boolean
}

/** A provider that remembers, in place of the one an operator would install. */
const remembering = (told: Told[]): TracerProvider => ({
  getTracer: () => {
    const startSpan = (name: string, options: SpanOptions = {}): Span => {
      const one: Told = { name, options, events: [], ended: false, isError: false }
      told.push(one)
      const span = {
        setAttribute: () => span,
        addEvent: (event: string) => {
          one.events.push(event)
          return span
        },
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
  it('tells in the span of a flow each time it was in trouble', async () => {
    const told: Told[] = []
    trace.setGlobalTracerProvider(remembering(told))
    const stop = instrumentNode(belfry.node)
    const { id } = await belfry.node.start(Park, {})
    await belfry.node.killFlow(id, { by: 'test' })
    await belfry.node.idle()
    await new Promise((resolve) => setImmediate(resolve))
    stop()
    trace.disable()
    expect(told.map(({ name, events }) => [name, events])).to.deep.equal([['flow belfry/Park', ['parked']]])
  })

  it('is the same measures for OpenTelemetry as for Prometheus', async () => {
    const seen = new Map<string, number>()
    const counted = (name: string): object => ({
      add: (value: number) => seen.set(name, value),
      record: () => seen.set(name, 1),
    })
    let read: BatchObservableCallback | undefined
    metrics.setGlobalMeterProvider({
      getMeter: () =>
        ({
          createCounter: counted,
          createHistogram: counted,
          createObservableGauge: (name: string) => ({ name }),
          addBatchObservableCallback: (callback: BatchObservableCallback) => (read = callback),
          removeBatchObservableCallback: () => (read = undefined),
        }) as unknown as Meter,
    })
    const stop = instrumentNode(belfry.node)
    await ringAll()
    await read?.({
      observe: ({ name }: { readonly name: string }, value: number, labels: Attributes) =>
        seen.set(
          Object.keys(labels).length > 1 ? `${name} ${Object.values(labels).at(-1)?.toString() ?? ''}` : name,
          value,
        ),
    } as unknown as BatchObservableResult)
    stop()
    metrics.disable()
    expect(read, 'nothing is read after the end').to.be.undefined
    const names = new Set([...seen.keys()].map((name) => name.split(' ')[0]?.replaceAll(/\W/g, '_')))
    const { body } = await belfry.ask('/api/v1/metrics')
    const prometheus = [...String(body['text']).matchAll(/^# TYPE (carillon_\w+) /gm)].map(([, name = '']) =>
      name.replace(/(_total|_seconds)$/, ''),
    )
    expect([...names].map((name) => name?.replace(/_seconds$/, ''))).to.have.members(prometheus)
    expect(seen.get('carillon.flows parked')).to.equal(1)
    expect(seen.get('carillon.activities scheduled')).to.be.greaterThan(0)
  })

  it('is every start and end with its flow and its state, when someone looks for something', async () => {
    const lines: string[] = []
    const stop = logOutcomes(
      belfry.node,
      jsonLogger({ level: 'debug', to: { write: (line) => void lines.push(line) } }),
    )
    await ringAll()
    stop()
    const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const started = said.find(({ message, ref }) => message === 'A flow has started.' && ref !== undefined)
    expect(started).to.include({ level: 'debug', name: 'belfry/Ring', latenessMs: 0 })
    expect(said.some(({ message, flow }) => message === 'A flow has ended.' && flow === started?.['flow'])).to.be.true
  })
})
