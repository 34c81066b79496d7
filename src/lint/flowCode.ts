/**
 * Which functions of a module are flows, or parts of them: the `run` of a definition, and whatever is given an `io`.
 */
import {
  calledName,
  childNode,
  childNodes,
  isFunction,
  propertyKey,
  identifierName,
  outermost,
  type SyntaxNode,
} from './syntax.js'

const definers: ReadonlySet<string> = new Set(['defineFlow', 'defineResponder', 'recurring'])

/** The name of the type that a parameter is said to have. */
const typeNameOf = (parameter: SyntaxNode): string | undefined => {
  const annotation = childNode(parameter, 'typeAnnotation')
  const type = annotation === undefined ? undefined : childNode(annotation, 'typeAnnotation')
  return type?.type === 'TSTypeReference' ? identifierName(childNode(type, 'typeName')) : undefined
}

/** Whether a function is `run` in what a call such as `defineFlow` is given, and which call that is. */
export const definerOf = (node: SyntaxNode): string | undefined => {
  const property = outermost(node).parent
  if (property?.type !== 'Property' || propertyKey(property) !== 'run' || !isFunction(node)) return undefined
  const call = property.parent && outermost(property.parent).parent
  const called = call?.type === 'CallExpression' ? calledName(call) : undefined
  return called !== undefined && definers.has(called) ? called : undefined
}

/** Whether a parameter of a function is what a flow acts with. */
export const isIo = (owner: SyntaxNode, parameter: SyntaxNode): boolean => {
  if (identifierName(parameter) === 'io' || typeNameOf(parameter) === 'FlowIo') return true
  return definerOf(owner) !== undefined && childNodes(owner, 'params')[0] === parameter
}

/** Whether a parameter of a function is a conversation with another party. */
export const isSession = (owner: SyntaxNode, parameter: SyntaxNode): boolean =>
  typeNameOf(parameter) === 'Session' ||
  (definerOf(owner) === 'defineResponder' && childNodes(owner, 'params')[1] === parameter)

export const isFlow = (node: SyntaxNode): boolean =>
  isFunction(node) &&
  (definerOf(node) !== undefined || childNodes(node, 'params').some((parameter) => isIo(node, parameter)))
