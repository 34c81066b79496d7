/**
 * An app whose steps are watched, end when a simulation wants them to, and fail where it wants them to: the same ones every
 * time, whatever else happens around them.
 */
import type { App } from '../../app/App.js'
import type { StepContext } from '../../flow/operations/step.js'
import type { StepOptions } from '../../app/FlowIo.js'
import { changedApp } from '../traceFlows.js'
import { Chance } from './Chance.js'
import type { HeldSteps } from './HeldSteps.js'
import type { StepPlace, Witness } from './Witness.js'

type Run = (context: StepContext) => unknown
type Options = StepOptions & { readonly result?: { readonly encode: (value: unknown) => unknown } }

/** The key of a step is made of its flow, the path of its part where there is one, and its position. */
const placeOf = (key: string): StepPlace => {
  const [flow = '', ...numbers] = key.split('.')
  return {
    flow,
    part: numbers.slice(0, -1).join('.') || undefined,
    position: Number.parseInt(numbers.at(-1) ?? '', 10),
  }
}

/** Who watches, and how many steps fail. */
export type StepsWatched = {
  readonly witness: Witness
  readonly held: HeldSteps
  /** Whether the process that runs the app still leads: what one does that does not, nobody has told it to. */
  readonly leads: () => boolean
  readonly seed: number
  /** How many steps there are to one that fails; 0 when none does. */
  readonly oneIn: number
}

export const watchSteps = (app: App, { witness, held, leads, seed, oneIn }: StepsWatched): App =>
  changedApp(app, (io, name, method) => {
    if (name !== 'step') return method
    return (step, run, options) => {
      const codec = (options as Options | undefined)?.result
      const fallible: Run = async (context) => {
        const chance = new Chance(`step ${seed} ${context.idempotencyKey} ${context.attempt}`)
        if (oneIn > 0 && chance.oneIn(oneIn)) throw new Error('The simulated world said no.')
        const value: unknown = await (run as Run)(context)
        witness.stepReturned(context.idempotencyKey, codec === undefined ? value : codec.encode(value))
        return value
      }
      const watched: Run = async (context) => {
        const place = placeOf(context.idempotencyKey)
        if (leads()) witness.stepRuns(io.me.name, place, String(step))
        held.begin(context)
        try {
          return await fallible(context)
        } finally {
          await held.hold(context, `step "${String(step)}" of flow ${place.flow.slice(0, 8)} of ${io.me.name}`)
        }
      }
      return options === undefined ? method(step, watched) : method(step, watched, options)
    }
  })
