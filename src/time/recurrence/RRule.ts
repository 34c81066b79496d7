/**
 * A recurrence rule of RFC 5545, such as `FREQ=MONTHLY;BYDAY=-1FR`, beginning at a local time in a zone. Dates to
 * leave out are given as exclusions of the recurrence, not in the rule.
 */
import * as t from 'io-ts'
import { RRuleTemporal } from 'rrule-temporal'
import { messageOf } from '../../errors/CarillonError.js'
import { dayMs, localMs, LocalTimeC } from '../LocalTime.js'
import { ZoneC } from '../Zone.js'
import { defaultDstPolicy, DstPolicyC } from './DstPolicy.js'
import { refuse } from './refuse.js'
import { between, type Sequence } from './Sequence.js'
import { zoned } from './zoned.js'

export const RRuleC = t.readonly(
  t.intersection([
    t.strict({ kind: t.literal('rrule'), rule: t.string, start: LocalTimeC, zone: ZoneC }),
    t.exact(t.partial({ dst: DstPolicyC })),
  ]),
  'RRule',
)
export type RRule = t.TypeOf<typeof RRuleC>

type Until = { readonly localMs?: number; readonly instantMs?: number }

const untilPattern = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/

/** UNTIL is an instant when it ends in Z, a local time when it does not, and a whole local day when it is a date. */
const readUntil = (rule: string, text: string): Until => {
  const [, year, month, day, hour, minute, second, utc] = untilPattern.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined)
    return refuse(`rrule "${rule}"`, `UNTIL=${text} is neither a date nor a date with a time.`)
  const dayStart = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  if (hour === undefined) return { localMs: dayStart + dayMs - 1 }
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute ?? '00'}:${second ?? '00'}Z`)
  return utc === 'Z' ? { instantMs: at } : { localMs: at }
}

const parse = (rule: string, startMs: number): RRuleTemporal => {
  const start = new Date(startMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  try {
    // In UTC the parser's time is plain arithmetic; the zone is applied afterwards, under a policy of our own.
    return new RRuleTemporal({ rruleString: `DTSTART;TZID=UTC:${start}\nRRULE:${rule}` })
  } catch (error) {
    return refuse(`rrule "${rule}"`, messageOf(error))
  }
}

/** The library gives up, with an error, when it has looked for long and found nothing. */
const found = (
  rule: string,
  find: () => { readonly epochMilliseconds: number } | null | undefined,
): number | undefined => {
  try {
    return find()?.epochMilliseconds
  } catch (error) {
    return refuse(`rrule "${rule}"`, `no occurrence was found: ${messageOf(error)}. Write a rule that occurs sooner.`)
  }
}

export const rruleSequence = ({ rule, start, zone, dst }: RRule): Sequence => {
  const parts = rule.replace(/^RRULE:/i, '').split(';')
  if (/[\n\r]/.test(rule)) return refuse(`rrule "${rule}"`, 'give the rule alone; leave dates out by exclusions.')
  const untilPart = parts.find((part) => /^UNTIL=/i.test(part))
  const until = untilPart === undefined ? {} : readUntil(rule, untilPart.slice('UNTIL='.length))
  const parsed = parse(parts.filter((part) => part !== untilPart).join(';'), localMs(start))
  const local: Sequence = {
    after: (ms) => found(rule, () => parsed.next(new Date(ms))),
    before: (ms) => found(rule, () => parsed.previous(new Date(ms))),
  }
  const instants = zoned(between(local, localMs(start), until.localMs), zone, dst ?? defaultDstPolicy)
  return between(instants, undefined, until.instantMs)
}
