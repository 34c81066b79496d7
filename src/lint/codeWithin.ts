/**
 * Which code of a module belongs to certain functions, such as flows: what stands in them, and what stands in functions of
 * the same module that they use. What a step does runs once and apart, and belongs to none.
 */
import { calledName, childNodes, functionNamed, isFunction, type Reference, type SyntaxNode } from './syntax.js'

/** Whether a node is what a step is given to do. */
const isStepWork = (node: SyntaxNode): boolean => {
  const call = node.parent
  return call?.type === 'CallExpression' && calledName(call) === 'step' && childNodes(call, 'arguments')[1] === node
}

const isInStep = (node: SyntaxNode): boolean => {
  for (let at: SyntaxNode | null | undefined = node; at; at = at.parent) if (isStepWork(at)) return true
  return false
}

/** The functions of a module that have a name, each with the places where the name is used. */
const usesOfFunctions = (references: readonly Reference[]): ReadonlyMap<SyntaxNode, readonly SyntaxNode[]> => {
  const uses = new Map<SyntaxNode, SyntaxNode[]>()
  for (const { identifier, resolved, init } of references) {
    const named = functionNamed(resolved)
    if (named === undefined || init === true) continue
    uses.set(named, [...(uses.get(named) ?? []), identifier])
  }
  return uses
}

export const codeWithin = (
  references: readonly Reference[],
  isRoot: (node: SyntaxNode) => boolean,
): ((node: SyntaxNode) => boolean) => {
  const uses = usesOfFunctions(references)
  const used = new Set<SyntaxNode>()
  const isApart = (node: SyntaxNode): boolean => isStepWork(node) || uses.get(node)?.every(isInStep) === true
  const within = (node: SyntaxNode): boolean => {
    for (let at: SyntaxNode | null | undefined = node; at; at = at.parent) {
      if (isApart(at)) return false
      if (isFunction(at) && (used.has(at) || isRoot(at))) return true
    }
    return false
  }
  for (let before = -1; before < used.size;) {
    before = used.size
    for (const [named, places] of uses) if (!used.has(named) && places.some(within)) used.add(named)
  }
  return within
}
