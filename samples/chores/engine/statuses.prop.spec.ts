import { expect } from 'chai'
import fc from 'fast-check'
import { instantFromMillis } from 'carillon'
import { ChoreModel, pollSeconds, taskId } from '../test/ChoreModel.js'
import { ChoreStand } from '../test/ChoreStand.js'
import { Held } from '../test/Held.js'
import { simpleChore } from '../test/simpleChore.js'
import {
  carryOn,
  continueIn,
  done,
  failed,
  type ChoreEngine,
  type ConductorAction,
  type ConductorContext,
  type TaskAction,
} from './index.js'

/** More runs where there is time for them: CHORES_RUNS=500 npx mocha <this file>. */
const numRuns = Number(process.env['CHORES_RUNS'] ?? 30)

type World = {
  readonly stand: ChoreStand
  readonly model: ChoreModel
  readonly tasks: Held<TaskAction>[]
  readonly conductors: Held<undefined>[]
}
type Command = { readonly name: string; readonly run: (world: World) => Promise<void> | void }

/** A control of the engine and what the model makes of it; at the end of each, whatever is due happens in both. */
const control = (
  name: string,
  ask: (engine: ChoreEngine, model: ChoreModel) => Promise<void>,
  expected: (model: ChoreModel) => void,
): Command => ({
  name,
  run: async ({ stand, model }) => {
    await ask(stand.engine, model)
    expected(model)
    model.settle()
  },
})

const instantOf = (seconds: number) => instantFromMillis(seconds * 1000)
const whole = (min: number, max: number) => fc.integer({ min, max })

const verbs: fc.Arbitrary<Command> = fc.constantFrom(
  control(
    'enable',
    (engine) => engine.control('chore', { verb: 'enable' }),
    (model) => model.enable(),
  ),
  control(
    'disable',
    (engine) => engine.control('chore', { verb: 'disable' }),
    (model) => model.disable(),
  ),
  control(
    'trigger',
    (engine) => engine.control('chore', { verb: 'trigger' }),
    (model) => model.trigger(),
  ),
  control(
    'start',
    (engine) => engine.control('chore', { verb: 'start' }),
    (model) => model.start(),
  ),
  control(
    'pause',
    (engine) => engine.control('chore', { verb: 'pause' }),
    (model) => model.pause(),
  ),
  control(
    'resume',
    (engine) => engine.control('chore', { verb: 'resume' }),
    (model) => model.resume(),
  ),
  control(
    'stop',
    (engine) => engine.control('chore', { verb: 'stop' }),
    (model) => model.stop(),
  ),
  control(
    'stopChore',
    (engine) => engine.control('chore', { verb: 'stop-chore' }),
    (model) => model.stopChore(),
  ),
  control(
    'stopAllChores',
    (engine) => engine.stopAllChores(),
    (model) => model.stopChore(),
  ),
  control(
    'cancelAllTimers',
    (engine) => engine.cancelAllTimers(),
    (model) => model.cancelTimers(),
  ),
  control(
    'resumeTimers',
    (engine) => engine.resumeTimers(),
    (model) => model.resumeTimers(),
  ),
)

const controls: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: verbs, weight: 12 },
  whole(1, 90).map((seconds) =>
    control(
      `setInterval ${seconds}`,
      (engine) => engine.control('chore', { verb: 'interval', seconds }),
      (model) => {
        model.interval = seconds
      },
    ),
  ),
  whole(1, 40).map((seconds) =>
    control(
      `setTaskTimeout ${seconds}`,
      (engine) => engine.control('chore', { verb: 'timeout', seconds }),
      (model) => {
        model.timeout = seconds
      },
    ),
  ),
  whole(-30, 60).map((seconds) =>
    control(
      `scheduleStart in ${seconds} s`,
      (engine, model) => engine.control('chore', { verb: 'schedule', at: instantOf(model.now + seconds) }),
      (model) => model.schedule(model.now + seconds),
    ),
  ),
  whole(-30, 60).map((seconds) =>
    control(
      `setNextScheduledRun in ${seconds} s`,
      async (engine, model) => {
        const asked = engine.control('chore', { verb: 'next-run', at: instantOf(model.now + seconds) })
        if (model.enabled) await asked
        else expect(await asked.catch((error: unknown) => error)).to.be.an('error')
      },
      (model) => {
        if (model.enabled) model.next = model.now + seconds
      },
    ),
  ),
)

const time: fc.Arbitrary<Command> = fc.oneof(
  whole(1, 80).map((seconds) => ({
    name: `advance ${seconds} s`,
    run: async ({ stand, model }: World) => {
      await stand.advance({ seconds })
      model.advance(seconds)
    },
  })),
  whole(-40, 120).map((seconds) => ({
    name: `set the clock by ${seconds} s`,
    run: async ({ stand, model }: World) => {
      stand.jumpTo(instantOf(model.now + seconds))
      model.now += seconds
      model.settle()
      await stand.quiet()
    },
  })),
  whole(0, 200).map((seconds) => ({
    name: `crash, down for ${seconds} s`,
    run: async ({ stand, model }: World) => {
      await stand.restart({ seconds })
      model.crash(seconds)
    },
  })),
)

const endTask = (name: string, action: TaskAction, expected: (model: ChoreModel) => void): Command => ({
  name,
  run: ({ model, tasks }) => {
    if (!model.isTaskActive) return
    tasks.at(-1)?.release(action)
    expected(model)
  },
})

const callbacks: fc.Arbitrary<Command> = fc.constantFrom<Command[]>(
  endTask('task is done', done, (model) => model.endTask({ succeeded: true, error: null })),
  endTask('task fails', failed('bad'), (model) => model.endTask({ succeeded: false, error: 'bad' })),
  endTask('task continues', carryOn, () => undefined),
  {
    name: 'conductors hang',
    run: ({ model }) => {
      model.conductorHangs = true
    },
  },
  {
    name: 'conductors return',
    run: ({ model, conductors }) => {
      model.conductorHangs = false
      if (model.isConductorHanging) conductors.at(-1)?.release(undefined)
      model.letConductorGo()
      model.settle()
    },
  },
  {
    name: 'late callbacks return',
    run: ({ model, tasks, conductors }) => {
      for (const task of model.isTaskActive ? tasks.slice(0, -1) : tasks) task.release(done)
      for (const conductor of model.isConductorHanging ? conductors.slice(0, -1) : conductors)
        conductor.release(undefined)
      model.letLingeringGo()
    },
  },
)

const commands = fc.array(fc.oneof({ arbitrary: controls, weight: 4 }, { arbitrary: time, weight: 3 }, callbacks), {
  minLength: 15,
  maxLength: 40,
})

const open = async (): Promise<World> => {
  const tasks: Held<TaskAction>[] = []
  const conductors: Held<undefined>[] = []
  const world: { model?: ChoreModel } = {}
  const conduct =
    (engine: ChoreEngine) =>
    async ({ choreId, isTaskRunning, lastCompletedTask }: ConductorContext): Promise<ConductorAction> => {
      if (world.model?.conductorHangs === true) {
        const held = new Held<undefined>()
        conductors.push(held)
        await held.promise
      }
      if (lastCompletedTask !== null) return lastCompletedTask.succeeded ? done : failed(lastCompletedTask.error ?? '')
      if (!isTaskRunning)
        engine.setPendingTask(choreId, taskId, () => {
          const held = new Held<TaskAction>()
          tasks.push(held)
          return held.promise
        })
      return continueIn(pollSeconds)
    }
  const stand = await ChoreStand.open({
    development: false,
    chores: (engine) => {
      engine.registerChore(
        simpleChore('chore', conduct(engine), { defaultIntervalSeconds: 60, defaultTaskTimeoutSeconds: 20 }),
      )
    },
  })
  const model = new ChoreModel(stand.clock.now() / 1000)
  world.model = model
  return { stand, model, tasks, conductors }
}

describe('the statuses of a chore', () => {
  it('are true at every moment, whatever is asked, whenever it crashes and however the clock moves', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const world = await open()
        const told: string[] = []
        for (const { name, run } of sequence) {
          told.push(name)
          await run(world)
          await world.stand.quiet()
          expect(await world.stand.engine.getStatus('chore'), told.join('; ')).to.deep.include(world.model.status())
        }
        await world.stand.stop()
      }),
      { numRuns },
    )
  }).timeout(Math.max(60_000, numRuns * 5_000))
})
