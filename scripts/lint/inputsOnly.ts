/**
 * Clock, randomness, timers and the host enter the inner rooms as inputs, or replay would differ. What reads them is found
 * as it is in the flows of apps; besides, nothing here may take hold of the objects that lead to them.
 */
import { hostUseOf } from '../../src/lint/hostUse.js'
import { lintRule, referencesIn } from '../../src/lint/LintRule.js'
import { identifierName } from '../../src/lint/syntax.js'

const leadsOutside: ReadonlySet<string> = new Set(['performance', 'crypto', 'globalThis', 'global'])

export const inputsOnly = lintRule(
  'No clock, randomness, timers or I/O in the inner rooms',
  {
    outside:
      '{{what}}: clock, randomness, timers and the host enter the inner rooms as inputs, or replay would differ.',
  },
  (context) => ({
    'Program:exit': () => {
      for (const reference of referencesIn(context)) {
        const { identifier, resolved, isTypeReference } = reference
        const isGlobal = isTypeReference !== true && (resolved === null || resolved.defs.length === 0)
        const name = isGlobal ? identifierName(identifier) : undefined
        const what = hostUseOf(reference)?.what ?? (name !== undefined && leadsOutside.has(name) ? name : undefined)
        if (what !== undefined) context.report({ node: identifier, messageId: 'outside', data: { what } })
      }
    },
  }),
)
