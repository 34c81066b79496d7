/**
 * What a forecast takes for granted about the outside world: steps are not run in it, so what they would bring is
 * assumed, and every assumption is stated.
 */
import type { App } from '../../app/App.js'
import { digestOf } from '../../app/describeOperation.js'
import type { DomainEvent } from '../../log/events.js'
import { changedApp } from '../traceFlows.js'
import type { StepContext } from '../../flow/operations/step.js'

/** What a step is assumed to bring, by its name: a value, or a function of its context. */
export type StepAssumptions = Readonly<Record<string, unknown>>

type Run = (context: StepContext) => unknown

const digestOfStep = (name: string): string => digestOf('step', { name })

export class Assumptions {
  readonly #given: StepAssumptions
  /** What each step brought last, in the log, by the digest of the operation. */
  readonly #lately = new Map<string, unknown>()
  readonly #stated = new Set<string>()

  constructor(given: StepAssumptions) {
    this.#given = given
  }

  /** One sentence for each assumption that was made. */
  get stated(): readonly string[] {
    return [...this.#stated]
  }

  state(sentence: string): void {
    this.#stated.add(sentence)
  }

  learn(event: DomainEvent): void {
    if (event.type !== 'FlowAdvanced') return
    for (const { kind, digest, result, error } of event.operations)
      if (kind === 'step' && error === undefined) this.#lately.set(digest, result)
  }

  /** The app with its steps answered by assumption; a step about which nothing can be assumed holds its flow. */
  answerSteps(app: App, hold: (flow: string) => Promise<void>): App {
    return changedApp(app, (io, name, method) => {
      if (name !== 'step') return method
      return (step, _run, options) => {
        const answer: Run = async (context) => {
          const key = String(step)
          if (Object.hasOwn(this.#given, key)) {
            const given = this.#given[key]
            this.state(`Step "${key}" brings what was given for it.`)
            return typeof given === 'function' ? (given as Run)(context) : given
          }
          const digest = digestOfStep(key)
          if (this.#lately.has(digest)) {
            const last = this.#lately.get(digest)
            this.state(`Step "${key}" brings what it brought last: ${JSON.stringify(last ?? null)}.`)
            return last
          }
          this.state(`Nothing is known about step "${key}": flows that need it are held there.`)
          await hold(io.flowId)
          return undefined
        }
        // What was recorded is encoded already; only the decoding is left to the flow's own codec.
        const codec = (options as { readonly result?: { readonly decode: unknown } } | undefined)?.result
        const kept =
          codec === undefined
            ? options
            : {
                ...(options as object),
                result: Object.assign(Object.create(codec) as object, { encode: (value: unknown) => value }),
              }
        return kept === undefined ? method(step, answer) : method(step, answer, kept)
      }
    })
  }
}
