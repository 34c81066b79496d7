/**
 * An operation happens when it is asked for with `yield*`. Without it nothing happens, and its answer is a generator.
 */
import { isIo, isSession } from '../flowCode.js'
import { lintRule, referencesIn } from '../LintRule.js'
import {
  calledName,
  childNode,
  childNodes,
  functionAround,
  functionNamed,
  isGenerator,
  memberOf,
  identifierName,
  outermost,
  type Reference,
  type SyntaxNode,
  type Variable,
} from '../syntax.js'

/** Positions in which a generator is of no use, because a value is meant. */
const wantsValue: ReadonlySet<string> = new Set([
  ...['ExpressionStatement', 'MemberExpression', 'BinaryExpression', 'LogicalExpression', 'UnaryExpression'],
  ...['TemplateLiteral', 'IfStatement', 'WhileStatement', 'SwitchStatement', 'AwaitExpression', 'ThrowStatement'],
])

/** Whether what stands here is asked for, or handed on to something that may ask for it. */
const isAskedFor = (node: SyntaxNode): boolean => {
  const outer = outermost(node)
  const { parent } = outer
  if (!parent) return true
  if (parent.type === 'YieldExpression') return memberOf(parent, 'delegate') === true
  if (parent.type === 'ConditionalExpression') return childNode(parent, 'test') !== outer && isAskedFor(parent)
  if (parent.type === 'ReturnStatement') {
    const around = functionAround(parent)
    return around === undefined || !isGenerator(around)
  }
  if (parent.type === 'VariableDeclarator') return identifierName(childNode(parent, 'id')) !== undefined
  return !wantsValue.has(parent.type)
}

/** The variable that a call's result is put into, when it is. */
const variableOf = (call: SyntaxNode, references: readonly Reference[]): Variable | undefined => {
  const declarator = outermost(call).parent
  if (declarator?.type !== 'VariableDeclarator') return undefined
  const id = childNode(declarator, 'id')
  return references.find(({ identifier }) => identifier === id)?.resolved ?? undefined
}

const isParameter = (variable: Variable | null, is: (owner: SyntaxNode, parameter: SyntaxNode) => boolean): boolean =>
  variable?.defs.some(
    ({ type, node }) =>
      type === 'Parameter' &&
      childNodes(node, 'params').some(
        (parameter) => identifierName(parameter) === variable.name && is(node, parameter),
      ),
  ) === true

/** Whether a variable is what `yield* io.initiate(…)` gave. */
const isInitiated = (variable: Variable | null): boolean =>
  variable?.defs.some(({ type, node }) => {
    const asked = type === 'Variable' ? childNode(node, 'init') : undefined
    const call = asked?.type === 'YieldExpression' ? childNode(asked, 'argument') : undefined
    return call?.type === 'CallExpression' && calledName(call) === 'initiate'
  }) === true

/** The call of an operation whose `io` or session a name is. */
const operationOf = ({ identifier, resolved }: Reference): SyntaxNode | undefined => {
  const access = identifier.parent
  const call = access?.parent
  if (access?.type !== 'MemberExpression' || childNode(access, 'object') !== identifier) return undefined
  if (call?.type !== 'CallExpression' || childNode(call, 'callee') !== access) return undefined
  return isParameter(resolved, isIo) || isParameter(resolved, isSession) || isInitiated(resolved) ? call : undefined
}

/** A call of a generator of this module: a part of a flow. */
const partOf = ({ identifier, resolved }: Reference): SyntaxNode | undefined => {
  const call = identifier.parent
  const named = functionNamed(resolved)
  return call?.type === 'CallExpression' && childNode(call, 'callee') === identifier && named && isGenerator(named)
    ? call
    : undefined
}

export const yieldStar = lintRule(
  'Operations of a flow, and its parts, are asked for with yield*',
  {
    forgotten: '{{what}} does nothing without "yield*": write "yield* {{what}}(…)".',
    plain: '"yield" hands the operation on without asking for it: write "yield* {{what}}(…)".',
  },
  (context) => ({
    'Program:exit': () => {
      const references = referencesIn(context)
      const report = (call: SyntaxNode, what: string): void => {
        const isPlain = outermost(call).parent?.type === 'YieldExpression'
        context.report({ node: call, messageId: isPlain ? 'plain' : 'forgotten', data: { what } })
      }
      for (const reference of references) {
        const name = identifierName(reference.identifier) ?? ''
        const operation = operationOf(reference)
        if (operation !== undefined) {
          const variable = variableOf(operation, references)
          const reads = variable?.references.filter(
            ({ identifier }) => identifier.parent !== outermost(operation).parent,
          )
          if (
            !isAskedFor(operation) ||
            (reads !== undefined && !reads.some(({ identifier }) => isAskedFor(identifier)))
          )
            report(operation, `${name}.${calledName(operation) ?? ''}`)
        }
        const part = partOf(reference)
        const at = part === undefined ? undefined : outermost(part).parent?.type
        if (
          part !== undefined &&
          (at === 'ExpressionStatement' || at === 'AwaitExpression' || at === 'YieldExpression')
        )
          if (!isAskedFor(part)) report(part, name)
      }
    },
  }),
)
