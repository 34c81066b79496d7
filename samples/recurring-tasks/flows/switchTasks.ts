/**
 * The emergency switch: stop and start all tasks, allowed to root and the committee. While stopped, nothing moves; on
 * start the ordinary catch-up reports everything that was skipped as missed.
 */
import * as t from 'io-ts'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import type { FlowBody } from 'carillon'
import { defineRequest } from '../Books.js'
import { commands } from '../contract.js'
import { OriginC, type Origin } from '../model/Origin.js'
import { done, type Done, type Refusal } from '../model/Refusal.js'
import type { Registry } from '../model/Registry.js'
import { instantOf } from '../model/timeSlots.js'
import { theRegistry, theSweeper } from '../states.js'

const mayDo = (origin: Origin, { committee }: Registry): boolean =>
  origin.kind === 'root' || (origin.kind === 'signed' && committee.includes(origin.account))

const input = t.readonly(t.strict({ origin: OriginC }))

const setStopped = (name: string, stopped: boolean) =>
  defineRequest({
    name,
    input,
    purpose: commands.switch,
    *work(books, { origin }): FlowBody<Either<Refusal, Done>> {
      const registry = yield* books.registry()
      if (!mayDo(origin, registry)) return left('NotAllowed')
      if (registry.stopped === stopped)
        return left(stopped ? 'ScheduledTasksAlreadyStopped' : 'ScheduledTasksAlreadyRunning')
      yield* books.registryMap.put(books.io, theRegistry, { ...registry, stopped })
      // Slots that came due meanwhile have rung in vain, so the sweeper is woken once.
      const nextSweepAt = stopped ? null : instantOf(books.now)
      yield* books.sweeperMap.put(books.io, theSweeper, { ...(yield* books.sweeper()), nextSweepAt })
      books.tell({ event: stopped ? 'ScheduledTasksStopped' : 'ScheduledTasksResumed' })
      return right(done)
    },
  })

export const StopTasks = setStopped('StopTasks', true)
export const StartTasks = setStopped('StartTasks', false)
