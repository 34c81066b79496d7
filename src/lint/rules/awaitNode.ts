/**
 * What a node is asked is a promise. Without `await` a test goes on before it has happened, and ends before it fails.
 */
import { lintRule } from '../LintRule.js'
import { childNode, propertyKey, identifierName, outermost, type SyntaxNode } from '../syntax.js'

const ofNode: ReadonlySet<string> = new Set([
  ...['run', 'start', 'startByName', 'resultOf', 'outcomeOf', 'signal', 'stop', 'crash', 'drain', 'endDraining'],
  ...['trigger', 'retry', 'dismiss', 'pause', 'resume', 'killFlow', 'cancelFlow', 'retryFlow', 'pauseFlow'],
  ...['resumeFlow', 'dismissFlow', 'operate', 'idle', 'tryRun'],
])
const ofVirtual: ReadonlySet<string> = new Set([
  ...['advanceBy', 'advanceTo', 'runUntilQuiet', 'restart', 'stop', 'crash'],
])

/** How tests call what they talk to: `node`, `bobsNode`, `virtual.node`, `network.node('Bob')`; `virtual`, `network`. */
const methodsOf = (object: SyntaxNode): ReadonlySet<string> | undefined => {
  const named = object.type === 'CallExpression' ? childNode(object, 'callee') : object
  if (named === undefined) return undefined
  const name = named.type === 'MemberExpression' ? propertyKey(named) : identifierName(named)
  if (name === undefined) return undefined
  if (/^node$|Node$/.test(name)) return ofNode
  return object.type !== 'CallExpression' && /^(virtual|network)$|(Virtual|Network)$/.test(name) ? ofVirtual : undefined
}

export const awaitNode = lintRule(
  'What a node is asked is awaited',
  {
    unawaited: 'Nothing waits for {{what}}(…), so the test goes on before it has happened. Write "await" before it.',
    uncalled: '{{what}}(…) only prepares the run, and nothing calls it. Write "await {{what}}(…)()", or use node.run.',
  },
  (context) => ({
    CallExpression: (node) => {
      if (outermost(node).parent?.type !== 'ExpressionStatement') return
      const callee = childNode(node, 'callee')
      const object = callee?.type === 'MemberExpression' ? childNode(callee, 'object') : undefined
      const method = callee?.type === 'MemberExpression' ? propertyKey(callee) : undefined
      if (object === undefined || method === undefined || methodsOf(object)?.has(method) !== true) return
      const messageId = method === 'tryRun' ? 'uncalled' : 'unawaited'
      context.report({ node, messageId, data: { what: method } })
    },
  }),
)
