/**
 * The agenda and its occurrences: lists, the timeline, and what an operator may do to an activity.
 */
import * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { httpLimits } from '../limits.js'
import { ActivityActionC, actionsOf, DoneC, NoteC } from '../../operator/OperatorRequest.js'
import { instantFromMillis, InstantC, toMillis } from '../../time/Instant.js'
import { resolveRef } from '../../storage/queries/resolveRef.js'
import { AgendaEntryC, OccurrenceC, pageOfC, TimelineC } from '../answers.js'
import { CountC, RefTextC } from '../codecs.js'
import { operatorOf } from '../Principal.js'
import { readAgenda } from '../../storage/queries/readAgenda.js'
import { readOccurrences } from '../../storage/queries/readOccurrences.js'
import { readTimeline } from '../../storage/queries/readTimeline.js'
import { question, route } from '../Route.js'
import { pageAnswer, PageQueryC } from './paging.js'

const defaultBars = 120
/** Later than a second is late to a person; the exact lateness stands beside it. */
const lateMs = 1_000

const ShowC = t.keyof({ scheduled: null, attention: null, paused: null, started: null })

export const agendaRoutes = [
  question({
    path: '/agenda',
    tag: 'agenda',
    verbs: ['agenda'],
    summary: 'What is to come, in order; or what needs attention, is paused, or is under way',
    permission: 'view',
    query: t.exact(t.partial({ show: ShowC, limit: CountC, after: t.string })),
    answer: pageOfC(AgendaEntryC),
    example: { query: { show: 'attention', limit: '10' } },
    read: async ({ node, query }) => pageAnswer(await node.readViews((db) => readAgenda(db, query, node.nowMs))),
  }),
  question({
    path: '/agenda/timeline',
    tag: 'agenda',
    verbs: ['timeline'],
    summary: 'The agenda counted along time: what was on time, late, failed or missed, and what is to come',
    permission: 'view',
    query: t.exact(t.partial({ from: InstantC, until: InstantC, bars: CountC })),
    answer: TimelineC,
    example: { query: { bars: '24' } },
    read: async ({ node, query }) => {
      const { nowMs } = node
      const fromMs = query.from === undefined ? nowMs - 3_600_000 : toMillis(query.from)
      const untilMs = query.until === undefined ? fromMs + 7_200_000 : toMillis(query.until)
      const bars = query.bars ?? defaultBars
      if (untilMs <= fromMs || bars < 1 || bars > httpLimits.timelineBars)
        throw new CarillonError(
          'request-invalid',
          `A timeline goes from an instant until a later one, in 1 to ${httpLimits.timelineBars} bars.`,
        )
      const found = await node.readViews((db) => readTimeline(db, { fromMs, untilMs, bars, lateMs }))
      return {
        from: instantFromMillis(fromMs),
        until: instantFromMillis(untilMs),
        now: instantFromMillis(nowMs),
        barMs: found.barMs,
        partial: found.partial,
        bars: found.bars.map(({ atMs, ...counts }) => ({ at: instantFromMillis(atMs), ...counts })),
      }
    },
  }),
  question({
    path: '/occurrences',
    tag: 'agenda',
    verbs: ['occurrences'],
    summary: 'Attempts at activities, newest first, with their lateness and outcome',
    permission: 'view',
    query: PageQueryC,
    answer: pageOfC(OccurrenceC),
    example: { query: { limit: '10' } },
    read: async ({ node, query }) => pageAnswer(await node.readViews((db) => readOccurrences(db, query))),
  }),
  route({
    method: 'POST',
    path: '/activities/{ref}/{action}',
    tag: 'operate',
    verbs: actionsOf(ActivityActionC).map((action) => `activity ${action}`),
    summary: `Acts on the activity of a state: ${actionsOf(ActivityActionC).join(', ')}`,
    permission: 'operate',
    params: t.strict({ ref: RefTextC, action: ActivityActionC }),
    body: t.exact(t.partial({ note: NoteC })),
    answer: DoneC,
    example: { params: { action: 'pause' }, body: { note: 'until the bank is open again' } },
    handle: async ({ hosted: { node }, params: { action, ...asked }, body, principal }) => {
      const ref = await node.readViews((db) => resolveRef(db, asked.ref))
      return node.operate({ on: 'activity', action, ref, ...body }, { by: operatorOf(principal) })
    },
  }),
]
