/**
 * What only root may do: open the registry, change its settings, give accounts money.
 */
import * as t from 'io-ts'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { defineFlow, IntegerC, type FlowBody } from 'carillon'
import { inBooks, type Books } from '../Books.js'
import { commands } from '../contract.js'
import { AccountIdC, isShortName, OriginC, type Origin } from '../model/Origin.js'
import { done, type Done, type Outcome, type Refusal } from '../model/Refusal.js'
import { problemWith, SettingsC } from '../model/Settings.js'
import { instantOf, slotOf } from '../model/timeSlots.js'
import { endow } from '../money.js'
import { theRegistry, theSweeper } from '../states.js'

const asRoot = (origin: Origin): Either<Refusal, Done> => (origin.kind === 'root' ? right(done) : left('NotAllowed'))

const OpenC = t.readonly(
  t.strict({
    settings: SettingsC,
    committee: t.readonlyArray(AccountIdC),
    callable: t.readonlyArray(t.string),
  }),
)

/** Opens the registry; opening it again changes nothing. */
export const Open = defineFlow({
  name: 'recurring-tasks/Open',
  input: OpenC,
  run: (io, { settings, committee, callable }): FlowBody<Outcome<Done>> =>
    inBooks(io, commands.govern, function* (books: Books): FlowBody<Either<Refusal, Done>> {
      if ((yield* books.registryMap.get(io, theRegistry)) !== undefined) return right(done)
      if (problemWith(settings) !== undefined) return left('InvalidSettings')
      const slot = slotOf(books.now, settings)
      yield* books.registryMap.put(io, theRegistry, { operator: io.me, settings, stopped: false, committee, callable })
      yield* books.sweeperMap.put(io, theSweeper, {
        operator: io.me,
        lastTimeSlot: slot,
        lastMissedSlot: slot,
        missedFirst: 0,
        missedNext: 0,
        sweptAt: instantOf(slot),
        nextSweepAt: null,
        failure: null,
      })
      return right(done)
    }),
})

/** Changes the settings. The length of a slot stays, since booked slots are on its grid. */
export const Reconfigure = defineFlow({
  name: 'recurring-tasks/Reconfigure',
  input: t.readonly(t.strict({ origin: OriginC, settings: SettingsC })),
  run: (io, { origin, settings }): FlowBody<Outcome<Done>> =>
    inBooks(io, commands.govern, function* (books: Books): FlowBody<Either<Refusal, Done>> {
      const allowed = asRoot(origin)
      if (allowed._tag === 'Left') return allowed
      const registry = yield* books.registry()
      if (problemWith(settings) !== undefined || settings.slotSeconds !== registry.settings.slotSeconds)
        return left('InvalidSettings')
      yield* books.registryMap.put(io, theRegistry, { ...registry, settings })
      return right(done)
    }),
})

/** Gives an account money. */
export const Endow = defineFlow({
  name: 'recurring-tasks/Endow',
  input: t.readonly(t.strict({ origin: OriginC, account: AccountIdC, amount: IntegerC })),
  run: (io, { origin, account, amount }): FlowBody<Outcome<Done>> =>
    inBooks(io, commands.govern, function* (books: Books): FlowBody<Either<Refusal, Done>> {
      const allowed = asRoot(origin)
      if (allowed._tag === 'Left') return allowed
      if (amount < 0) return left('InvalidAmount')
      if (!isShortName(account)) return left('NameTooLong')
      yield* endow(books, account, amount)
      return right(done)
    }),
})
