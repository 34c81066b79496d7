/** What must be true of visits, worked out with the calendar of the machine and nothing of Carillon's. */
import type { Invariant, LoggedEvent, SimulationOptions, World } from 'carillon/testing'
import type { Visit } from './visits.js'

type Made = { readonly version: number; readonly data: Visit & { readonly at?: string | null } }
type Output = { readonly type: string; readonly version: number; readonly data: Made['data'] }
type Ref = { readonly transaction: string; readonly index: number }
type Body = { readonly inputs: readonly Ref[]; readonly outputs: readonly Output[] }

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const fresh = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  formats.set(zone, fresh)
  return fresh
}

/** The local time in a zone, as `2026-03-29 02:30`. */
export const localIn = (zone: string, ms: number): string => formatOf(zone).format(ms)

const minuteMs = 60_000

const isDay = {
  daily: () => true,
  on31st: (date: string) => date.endsWith('-31'),
  onLeapDay: (date: string) => date.endsWith('-02-29'),
}

/** The days on which a visit is made: the first local date after another that is such a day, hour by hour. */
const nextDate = ({ zone, every }: Visit, afterMs: number): { readonly date: string; readonly fromMs: number } => {
  const [today] = localIn(zone, afterMs).split(' ')
  for (let ms = afterMs; ; ms += 15 * minuteMs) {
    const [date = ''] = localIn(zone, ms).split(' ')
    if (date !== today && isDay[every](date)) return { date, fromMs: ms }
  }
}

const faultOf = (visit: Visit, dueMs: number, nextMs: number): string | undefined => {
  const { date, fromMs } = nextDate(visit, dueMs)
  const wanted = `${date} ${visit.time}`
  if (localIn(visit.zone, nextMs) === wanted) return undefined
  // A local time that does not exist on that day is another one.
  const minutes = Array.from({ length: 26 * 60 }, (_, minute) => fromMs + (minute - 15) * minuteMs)
  return minutes.some((ms) => localIn(visit.zone, ms) === wanted)
    ? `follows at ${localIn(visit.zone, nextMs)} instead of ${wanted}, in ${visit.zone}`
    : undefined
}

const textOf = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'text' in body ? String(body.text) : JSON.stringify(body)

type Recorded = { readonly body: Body; readonly appVersion: string; readonly event: LoggedEvent['event'] }

/** Every transaction of a world that consumes or produces visits, with the version of the app that made it. */
const recordedIn = ({ parties }: World): readonly Recorded[] =>
  parties.flatMap(({ log }) => {
    let appVersion = ''
    return log.flatMap(({ event }) => {
      if (event.type === 'NodeStarted') appVersion = event.appVersion
      if (event.type !== 'TransactionRecorded') return []
      const text = textOf(event.body)
      return text.includes('workshop/Visit') ? [{ body: JSON.parse(text) as Body, appVersion, event }] : []
    })
  })

/** Each visit with the one that it follows. */
const pairsIn = (
  world: World,
): readonly { readonly before: Made; readonly after: Made; readonly appVersion: string }[] => {
  const made = new Map<string, Made>()
  return recordedIn(world).flatMap(({ body, appVersion, event }) => {
    const id = event.type === 'TransactionRecorded' ? event.id : ''
    body.outputs.forEach((output, index) => made.set(`${id}:${index}`, output))
    const [input] = body.inputs
    const before = input === undefined ? undefined : made.get(`${input.transaction}:${input.index}`)
    const after = body.outputs[0]
    return before === undefined || after === undefined ? [] : [{ before, after, appVersion }]
  })
}

const dueOf = ({ data }: Made): number | undefined => {
  const due = data.dueAt ?? data.at
  return due === null || due === undefined ? undefined : Date.parse(due)
}

/** Whether an earlier minute after a visit was arranged would have been the first of its local time. */
const isLate = ({ zone, time, every }: Visit, arrangedMs: number, dueMs: number): boolean => {
  const from = Math.floor(arrangedMs / minuteMs) * minuteMs + minuteMs
  for (let ms = from; ms < dueMs; ms += minuteMs) {
    const here = localIn(zone, ms)
    const [date = '', local] = here.split(' ')
    // A local time that comes twice counts the first time.
    const isSecond = [30, 60, 120].some((minutes) => localIn(zone, ms - minutes * minuteMs) === here)
    if (local === time && isDay[every](date) && !isSecond) return true
  }
  return false
}

/** A visit that was arranged begins at the next of its local times. */
export const visitsBegin: Invariant = {
  name: 'a visit begins at its local time',
  violations: ({ parties }) =>
    parties.flatMap(({ log }) =>
      log.flatMap(({ event, at }) => {
        if (event.type !== 'TransactionRecorded') return []
        const text = textOf(event.body)
        const body = text.includes('workshop/Visit') ? (JSON.parse(text) as Body) : undefined
        const [output] = body?.outputs ?? []
        const dueMs = output === undefined ? undefined : dueOf(output)
        if (output?.data.every !== 'daily' || output.data.round > 0 || dueMs === undefined) return []
        return isLate(output.data, Date.parse(at), dueMs)
          ? [
              `A visit arranged at ${at} for ${output.data.time} in ${output.data.zone} begins at ${localIn(output.data.zone, dueMs)}`,
            ]
          : []
      }),
    ),
}

/** The next visit is made at its local time, on the next day that it is for. */
export const visitsInTime: Invariant = {
  name: 'a visit follows at its local time',
  violations: (world) =>
    pairsIn(world).flatMap(({ before, after }) => {
      const [dueMs, nextMs] = [dueOf(before), dueOf(after)]
      const fault = dueMs === undefined || nextMs === undefined ? undefined : faultOf(after.data, dueMs, nextMs)
      return fault === undefined ? [] : [`A visit ${fault}`]
    }),
}

/** Whatever version made a visit, nothing of it is lost on the way through the others. */
export const visitsKept: Invariant = {
  name: 'a visit keeps its notes through every version',
  violations: (world) =>
    pairsIn(world).flatMap(({ before, after }) =>
      JSON.stringify(before.data.notes) === JSON.stringify(after.data.notes)
        ? []
        : [`A visit of version ${before.version} has other notes in version ${after.version}`],
    ),
}

/** More members than this are held in another way than few. */
const largeFrom = 33

/** How often histories have what they are to have. */
export const visitCounts: NonNullable<SimulationOptions['counts']> = {
  'recurrences in a zone other than UTC': (world) =>
    pairsIn(world).filter(({ after }) => after.data.zone !== 'UTC').length,
  'recurrences over a month end or a leap day': (world) =>
    pairsIn(world).filter(({ after }) => after.data.every !== 'daily').length,
  'recurrences over a change of clocks': (world) =>
    pairsIn(world).filter(({ before, after }) => {
      const [dueMs, nextMs] = [dueOf(before), dueOf(after)]
      return dueMs !== undefined && nextMs !== undefined && (nextMs - dueMs) % 86_400_000 !== 0
    }).length,
  'large objects': (world) =>
    recordedIn(world).filter(({ body }) => body.outputs.some(({ data }) => Object.keys(data.notes).length >= largeFrom))
      .length,
  'states read through one upcaster': (world) =>
    pairsIn(world).filter(({ before, appVersion }) => Number(appVersion[0]) === before.version + 1).length,
  'states read through two upcasters': (world) =>
    pairsIn(world).filter(({ before, appVersion }) => Number(appVersion[0]) === before.version + 2).length,
}
