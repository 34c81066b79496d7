import {
  context,
  diag,
  metrics,
  ROOT_CONTEXT,
  trace,
  type Attributes,
  type BatchObservableCallback,
  type BatchObservableResult,
  type Context,
  type ContextManager,
  type Meter,
  type Span,
  type SpanOptions,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp, defineFlow, type FlowBody } from '../../src/index.js'
import { instrumentNode, jsonLogger, logOutcomes } from '../../src/entries/telemetry.js'
import { VirtualNode } from '../../src/testing/index.js'
import { Belfry, Hang, Park } from './belfry.js'

type Told = {
  readonly name: string
  readonly options: SpanOptions
  readonly attributes: Attributes
  readonly parent: string | undefined
  readonly events: string[]
  ended: boolean
  isError: boolean
}

/** A provider that remembers what has ended, and all that has begun, in place of the one an operator would install. */
const remembering = (told: Told[], begun: Told[] = []): TracerProvider => ({
  getTracer: () => {
    const startSpan = (name: string, options: SpanOptions = {}, within: Context = ROOT_CONTEXT): Span => {
      const parent = trace.getSpanContext(within)?.spanId
      const attributes = { ...options.attributes }
      const one: Told = { name, options, attributes, parent, events: [], ended: false, isError: false }
      begun.push(one)
      const spanContext = {
        traceId: '1'.repeat(32),
        spanId: begun.length.toString(16).padStart(16, '0'),
        traceFlags: 1,
      }
      const span = {
        spanContext: () => spanContext,
        setAttribute: (key: string, value: string) => {
          attributes[key] = value
          return span
        },
        setAttributes: (more: Attributes) => {
          Object.assign(attributes, more)
          return span
        },
        recordException: (error: Error) => void one.events.push(`exception: ${error.message}`),
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
          told.push(one)
        },
      } as unknown as Span
      return span
    }
    return { startSpan } as unknown as Tracer
  },
})

/** The least of a context manager: enough for what is asked at once. */
class OneContext implements ContextManager {
  #active: Context = ROOT_CONTEXT
  active(): Context {
    return this.#active
  }
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    run: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    const before = this.#active
    this.#active = active
    try {
      return run.call(self, ...args)
    } finally {
      this.#active = before
    }
  }
  bind<T>(_: Context, target: T): T {
    return target
  }
  enable(): this {
    return this
  }
  disable(): this {
    return this
  }
}

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
    expect(told[1]!.attributes).to.include({ 'carillon.lateness_ms': 0, 'carillon.attempt': 1 })
  })
  it('is told of as a failure, and ends nothing else, when a span cannot be ended', async () => {
    const failures: string[] = []
    const quiet = { warn: () => undefined, info: () => undefined, debug: () => undefined, verbose: () => undefined }
    diag.setLogger({ ...quiet, error: (message) => void failures.push(message) })
    const told = Object.assign([], {
      push: () => {
        throw new Error('the exporter is broken')
      },
    })
    trace.setGlobalTracerProvider(remembering(told))
    const stop = instrumentNode(belfry.node)
    await ringAll()
    // Whatever is rejected without anyone to hear it would end the process by now.
    await new Promise((resolve) => setImmediate(resolve))
    stop()
    trace.disable()
    diag.disable()
    expect(failures).to.have.length(2)
    expect(failures[0]).to.match(/^The span of flow .* failed: the exporter is broken$/)
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

  describe('in the spans of steps', () => {
    const Fetch = defineFlow({
      name: 'post/Fetch',
      input: t.strict({ fails: t.number, then: t.keyof({ end: null, sleep: null, hang: null }) }),
      *run(io, { fails, then }): FlowBody<void> {
        yield* io.step('fetch', ({ attempt, signal }) => {
          if (attempt <= fails) throw new Error(`no answer to try ${attempt}`)
          if (then !== 'hang') return undefined
          return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        })
        if (then === 'sleep') yield* io.sleep({ days: 30 })
      },
    })
    const post = defineApp({ name: 'post', version: '1.0.0', states: [], flows: [Fetch] })
    type Heard = { readonly told: readonly Told[]; readonly nameOf: (id: string | undefined) => string | undefined }
    const toldOf = async (act: (virtual: VirtualNode) => Promise<void>, app = post): Promise<Heard> => {
      const told: Told[] = []
      const begun: Told[] = []
      trace.setGlobalTracerProvider(remembering(told, begun))
      const virtual = await VirtualNode.start({ app })
      const stop = instrumentNode(virtual.node)
      try {
        await act(virtual)
        await new Promise((resolve) => setImmediate(resolve))
      } finally {
        await virtual.stop()
        stop()
        trace.disable()
      }
      expect(begun.filter(({ ended }) => !ended).map(({ name }) => name)).to.deep.equal(['trial'])
      return { told, nameOf: (id) => (id === undefined ? undefined : begun[Number.parseInt(id, 16) - 1]?.name) }
    }
    const [flow, fetchStep] = ['flow post/Fetch', 'step fetch']
    it('each try is a child of its flow, with its attempt and what went wrong', async () => {
      const { told, nameOf } = await toldOf(async (virtual) => {
        const started = await virtual.node.start(Fetch, { fails: 1, then: 'end' })
        await virtual.advanceBy({ minutes: 1 })
        await started.result()
      })
      expect(told.map(({ name, isError, events }) => [name, isError, events])).to.deep.equal([
        [fetchStep, true, ['exception: no answer to try 1']],
        [fetchStep, false, []],
        [flow, false, ['failed a try']],
      ])
      const [first, second, whole] = told
      expect([first, second].map((each) => nameOf(each!.parent))).to.deep.equal([flow, flow])
      expect(first!.attributes).to.include({ 'carillon.step.name': 'fetch', 'carillon.step.attempt': 1 })
      expect(second!.attributes).to.include({ 'carillon.step.attempt': 2 })
      expect(whole!.attributes).to.include({ 'carillon.flow.outcome': 'completed' })
      expect(whole!.parent).to.be.undefined
    })

    it('the flow is told of as under way when the node stops before it has ended', async () => {
      const { told } = await toldOf(async ({ node }) => {
        await node.start(Fetch, { fails: 0, then: 'sleep' })
        await node.idle()
      })
      expect(told.map(({ name }) => name)).to.deep.equal([fetchStep, flow])
      expect(told[1]!.attributes).to.include({ 'carillon.flow.outcome': 'under way' })
    })

    it('a step that nobody waits for any more says why it was let go', async () => {
      const { told } = await toldOf(async ({ node }) => {
        const { id } = await node.start(Fetch, { fails: 0, then: 'hang' })
        await node.killFlow(id)
        await node.idle()
      })
      expect(told.find(({ name }) => name === fetchStep)!.attributes).to.include({
        'carillon.step.let_go': 'The flow has ended.',
      })
      expect(told.find(({ name }) => name === flow)!.attributes).to.include({ 'carillon.flow.outcome': 'killed' })
    })

    it('what a step calls is traced under it', async () => {
      const within: (string | undefined)[] = []
      context.setGlobalContextManager(new OneContext())
      const Call = defineFlow({
        name: 'post/Call',
        input: t.strict({}),
        *run(io): FlowBody<void> {
          yield* io.step('call', () => void within.push(trace.getSpanContext(context.active())?.spanId))
        },
      })
      const { nameOf } = await toldOf(({ node }) => node.run(Call, {}), { ...post, flows: [Call] })
      context.disable()
      expect(nameOf(within[0])).to.equal('step call')
    })

    it('nothing is made, nor read, when nobody has registered a provider', async () => {
      const virtual = await VirtualNode.start({ app: post })
      const { node } = virtual
      const stop = instrumentNode(node)
      let read = 0
      const whole = node.flow.bind(node)
      node.flow = (id) => {
        read += 1
        return whole(id)
      }
      await node.run(Fetch, { fails: 0, then: 'end' })
      stop()
      await virtual.stop()
      expect(read).to.equal(0)
    })
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
