/**
 * An app whose steps are watched, and fail where a simulation wants them to: the same ones every time, whatever else
 * happens around them.
 */
import type { App } from '../../app/App.js'
import type { StepContext } from '../../flow/operations/step.js'
import type { StepOptions } from '../../app/FlowIo.js'
import { changedApp } from '../traceFlows.js'
import { Chance } from './Chance.js'
import type { Witness } from './Witness.js'

type Run = (context: StepContext) => unknown
type Options = StepOptions & { readonly result?: { readonly encode: (value: unknown) => unknown } }

const placeOf = (key: string): { readonly flow: string; readonly position: number } => {
  const dot = key.lastIndexOf('.')
  return { flow: key.slice(0, dot), position: Number(key.slice(dot + 1)) }
}

/** `oneIn` is how many steps there are to one that fails; 0 when none does. */
export const watchSteps = (app: App, witness: Witness, seed: number, oneIn: number): App =>
  changedApp(app, (io, name, method) => {
    if (name !== 'step') return method
    return (step, run, options) => {
      const codec = (options as Options | undefined)?.result
      const watched: Run = async (context) => {
        const { flow, position } = placeOf(context.idempotencyKey)
        witness.stepRuns(io.me.name, flow, position, String(step))
        const chance = new Chance(`step ${seed} ${context.idempotencyKey} ${context.attempt}`)
        // A step that takes its time lets others go first.
        for (let turns = oneIn === 0 ? 0 : chance.below(8); turns > 0; turns--)
          await new Promise((resolve) => setImmediate(resolve))
        if (oneIn > 0 && chance.oneIn(oneIn)) throw new Error('The simulated world said no.')
        const value: unknown = await (run as Run)(context)
        witness.stepReturned(context.idempotencyKey, codec === undefined ? value : codec.encode(value))
        return value
      }
      return options === undefined ? method(step, watched) : method(step, watched, options)
    }
  })
