/**
 * What only root may do: open the registry, change its settings, give accounts money.
 */
import * as t from 'io-ts'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { IntegerC, type FlowBody } from 'carillon'
import { defineRequest } from '../Books.js'
import { commands } from '../contract.js'
import { AccountIdC, isShortName, OriginC } from '../model/Origin.js'
import { done, type Done, type Refusal } from '../model/Refusal.js'
import { problemWith, SettingsC } from '../model/Settings.js'
import { instantOf, slotOf } from '../model/timeSlots.js'
import { endow } from '../money.js'
import { theRegistry, theSweeper } from '../states.js'

const OpenC = t.readonly(
  t.strict({
    settings: SettingsC,
    committee: t.readonlyArray(AccountIdC),
    callable: t.readonlyArray(t.string),
  }),
)

/** Opens the registry; opening it again changes nothing. */
export const Open = defineRequest({
  name: 'Open',
  input: OpenC,
  purpose: commands.govern,
  *work(books, { settings, committee, callable }): FlowBody<Either<Refusal, Done>> {
    const { io } = books
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
  },
})

/** Changes the settings. The length of a slot stays, since booked slots are on its grid. */
export const Reconfigure = defineRequest({
  name: 'Reconfigure',
  input: t.readonly(t.strict({ origin: OriginC, settings: SettingsC })),
  purpose: commands.govern,
  *work(books, { origin, settings }): FlowBody<Either<Refusal, Done>> {
    if (origin.kind !== 'root') return left('NotAllowed')
    const registry = yield* books.registry()
    if (problemWith(settings) !== undefined || settings.slotSeconds !== registry.settings.slotSeconds)
      return left('InvalidSettings')
    yield* books.registryMap.put(books.io, theRegistry, { ...registry, settings })
    return right(done)
  },
})

/** Gives an account money. */
export const Endow = defineRequest({
  name: 'Endow',
  input: t.readonly(t.strict({ origin: OriginC, account: AccountIdC, amount: IntegerC })),
  purpose: commands.govern,
  *work(books, { origin, account, amount }): FlowBody<Either<Refusal, Done>> {
    if (origin.kind !== 'root') return left('NotAllowed')
    const free = (yield* books.accounts.get(books.io, account))?.free ?? 0
    if (amount < 0 || !Number.isSafeInteger(free + amount)) return left('InvalidAmount')
    if (!isShortName(account)) return left('NameTooLong')
    yield* endow(books, account, amount)
    return right(done)
  },
})
