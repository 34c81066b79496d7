/**
 * The verbs that an app adds to the command line: what they are, and doing what one does.
 */
import * as t from 'io-ts'
import { performVerb, VerbAnswerC, VerbGroupDescriptionC } from '../AppVerb.js'
import { route } from '../Route.js'

export const verbRoutes = [
  route({
    method: 'GET',
    path: '/verbs',
    tag: 'app',
    summary: 'The verbs that the app adds to the command line',
    permission: 'any',
    answer: t.readonly(t.strict({ items: t.readonlyArray(VerbGroupDescriptionC) }), 'Verbs'),
    handle: ({ hosted }) => Promise.resolve({ items: hosted.verbs.map(({ description }) => description) }),
  }),
  route({
    method: 'POST',
    path: '/verbs/{group}/{verb}',
    tag: 'app',
    summary: 'Does what a verb of the app does; arguments and options by name, as text',
    permission: 'verb',
    params: t.strict({ group: t.string, verb: t.string }),
    body: t.exact(t.partial({ words: t.record(t.string, t.string) })),
    answer: VerbAnswerC,
    handle: ({ hosted: { node, verbs }, params, body: { words = {} }, principal }) =>
      performVerb(node, verbs, { ...params, words }, principal),
  }),
]
