/**
 * A flow is run again over its record, so between two operations its code may depend on nothing but its input and their
 * answers: no clock, no randomness, no timers, no I/O, except in steps.
 */
import { codeWithin } from '../codeWithin.js'
import { isFlow } from '../flowCode.js'
import { hostUseOf } from '../hostUse.js'
import { lintRule, referencesIn } from '../LintRule.js'

export const deterministicFlow = lintRule(
  'No clock, randomness, timers or I/O in flows, except in steps',
  {
    clock:
      '{{what}} gives another time when the flow is run again after a restart. Use "yield* io.now()", which is recorded.',
    randomness:
      '{{what}} gives another value when the flow is run again after a restart. Use "yield* io.newId()", or a step, which are recorded.',
    timer: '{{what}} is forgotten in a restart. Use "yield* io.sleep({ minutes: 5 })", which is not.',
    world:
      '{{what}} is used again each time the flow is run again after a restart. Put it into a step: yield* io.step("what it does", () => …).',
  },
  (context) => ({
    'Program:exit': () => {
      const references = referencesIn(context)
      const isInFlow = codeWithin(references, isFlow)
      for (const reference of references) {
        const use = hostUseOf(reference)
        if (use !== undefined && isInFlow(use.node))
          context.report({ node: use.node, messageId: use.kind, data: { what: use.what } })
      }
    },
  }),
)
