/**
 * A flow is a generator that waits by `yield*`. What it waits for by a promise is not recorded, and never comes again after
 * a restart.
 */
import { codeWithin } from '../codeWithin.js'
import { isFlow } from '../flowCode.js'
import { lintRule, referencesIn } from '../LintRule.js'
import { memberOf, identifierName, type SyntaxNode } from '../syntax.js'

export const noAwaitInFlow = lintRule(
  'No async, await or promises in flows, except in steps',
  {
    async:
      'A flow cannot be async: it waits by "yield*". Write "*run(io, input) { … }" and await inside of steps: yield* io.step("what it does", async () => …).',
    promise:
      'A flow cannot wait for a promise, and after a restart there is none. Use io.all or io.race for parts of the flow, and promises inside of steps only.',
  },
  (context) => {
    const asynchronous: SyntaxNode[] = []
    const look = (node: SyntaxNode): void => {
      if (memberOf(node, 'async') === true) asynchronous.push(node)
    }
    return {
      FunctionDeclaration: look,
      FunctionExpression: look,
      ArrowFunctionExpression: look,
      'Program:exit': () => {
        const references = referencesIn(context)
        const isInFlow = codeWithin(references, isFlow)
        for (const node of asynchronous) if (isInFlow(node)) context.report({ node, messageId: 'async' })
        for (const { identifier, resolved, isTypeReference } of references)
          if (
            identifierName(identifier) === 'Promise' &&
            isTypeReference !== true &&
            (resolved === null || resolved.defs.length === 0) &&
            isInFlow(identifier)
          )
            context.report({ node: identifier, messageId: 'promise' })
      },
    }
  },
)
