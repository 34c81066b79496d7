/**
 * The syntax of a module as a linter gives it, as far as the rules need it. Whatever the parser, a node has a type, a
 * parent and members; nothing is assumed of a member before it was looked at.
 */
export type SyntaxNode = { readonly type: string; readonly parent?: SyntaxNode | null }

/** A name in a module: where it is declared and where it is used. */
export type Variable = {
  readonly name: string
  readonly defs: readonly { readonly type: string; readonly node: SyntaxNode; readonly parent?: SyntaxNode | null }[]
  readonly references: readonly Reference[]
}

/** A use of a name. */
export type Reference = {
  readonly identifier: SyntaxNode
  readonly resolved: Variable | null
  /** Only what parses types says so. */
  readonly isTypeReference?: boolean
  /** Whether the name is declared and given its value here. */
  readonly init?: boolean | null
}

/** A part of a module in which names are used. */
export type Scope = { readonly references: readonly Reference[] }

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

export const memberOf = (node: SyntaxNode, name: string): unknown => Reflect.get(node, name)

export const childNode = (node: SyntaxNode, name: string): SyntaxNode | undefined => {
  const child = memberOf(node, name)
  return isNode(child) ? child : undefined
}

export const childNodes = (node: SyntaxNode, name: string): readonly SyntaxNode[] => {
  const children = memberOf(node, name)
  return Array.isArray(children) ? children.filter(isNode) : []
}

/** The name of an identifier. */
export const identifierName = (node: SyntaxNode | undefined): string | undefined => {
  const name = node?.type === 'Identifier' ? memberOf(node, 'name') : undefined
  return typeof name === 'string' ? name : undefined
}

/** The name of a property or a method: `at` in `a.at`, in `{ at: 1 }` and in `{ 'at': 1 }`. */
export const propertyKey = (node: SyntaxNode): string | undefined => {
  if (memberOf(node, 'computed') === true) return undefined
  const key = childNode(node, node.type === 'MemberExpression' ? 'property' : 'key')
  const literal = key?.type === 'Literal' ? memberOf(key, 'value') : undefined
  return typeof literal === 'string' ? literal : identifierName(key)
}

/** What a call calls: the last name of it, such as `step` in `io.step()`. */
export const calledName = (call: SyntaxNode): string | undefined => {
  const callee = childNode(call, 'callee')
  return callee?.type === 'MemberExpression' ? propertyKey(callee) : identifierName(callee)
}

const wrappers: ReadonlySet<string> = new Set([
  ...['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression', 'TSTypeAssertion', 'ChainExpression'],
])

/** The node whose value a node is, behind what only the compiler reads. */
export const outermost = (node: SyntaxNode): SyntaxNode => {
  let outer = node
  while (outer.parent && wrappers.has(outer.parent.type)) outer = outer.parent
  return outer
}

const functions: ReadonlySet<string> = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
export const isFunction = (node: SyntaxNode): boolean => functions.has(node.type)

export const isGenerator = (node: SyntaxNode): boolean => memberOf(node, 'generator') === true

/** The function that a node stands in, or undefined at the top of the module. */
export const functionAround = (node: SyntaxNode): SyntaxNode | undefined => {
  let around = node.parent
  while (around && !isFunction(around)) around = around.parent
  return around ?? undefined
}

/** The function that a name stands for in this module. */
export const functionNamed = (variable: Variable | null): SyntaxNode | undefined => {
  const definition = variable?.defs[0]
  if (definition?.type === 'FunctionName') return definition.node
  const value = definition?.type === 'Variable' ? childNode(definition.node, 'init') : undefined
  return value !== undefined && isFunction(value) ? value : undefined
}
