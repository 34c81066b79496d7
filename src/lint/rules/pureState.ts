/**
 * What a state or a contract says depends on the data alone, on every node and at any time: its functions read no clock, no
 * randomness and nothing of the world.
 */
import { codeWithin } from '../codeWithin.js'
import { hostUseOf, type HostKind } from '../hostUse.js'
import { lintRule, referencesIn } from '../LintRule.js'
import { calledName, functionAround, isFunction, propertyKey, type SyntaxNode } from '../syntax.js'

const definers: ReadonlySet<string> = new Set(['defineState', 'withActivity', 'defineContract'])

/** Whether a function is one of those that a definition is made of, and not a function within such a function. */
const isOfDefinition = (node: SyntaxNode): boolean => {
  if (!isFunction(node)) return false
  const around = functionAround(node)
  for (let at = node.parent; at && at !== around; at = at.parent) {
    if (at.type === 'Property' && propertyKey(at) === 'nextScheduledActivity') return true
    if (at.type === 'CallExpression' && definers.has(calledName(at) ?? '')) return true
  }
  return false
}

const why: Readonly<Record<HostKind, string>> = {
  clock: 'Put the instant into the data of the state, and let a flow write it there.',
  randomness: 'Put the value into the data of the state, and let a flow write it there.',
  timer: 'What should happen later is an activity: let nextScheduledActivity say when.',
  world: 'Let a flow do it, in a step.',
}

const message = (kind: HostKind): string =>
  `{{what}} lets a state or a contract say something else each time it is asked. ${why[kind]}`

export const pureState = lintRule(
  'No clock, randomness, timers or I/O in nextScheduledActivity and the other functions of states and contracts',
  { clock: message('clock'), randomness: message('randomness'), timer: message('timer'), world: message('world') },
  (context) => ({
    'Program:exit': () => {
      const references = referencesIn(context)
      const isInDefinition = codeWithin(references, isOfDefinition)
      for (const reference of references) {
        const use = hostUseOf(reference)
        if (use !== undefined && isInDefinition(use.node))
          context.report({ node: use.node, messageId: use.kind, data: { what: use.what } })
      }
    },
  }),
)
