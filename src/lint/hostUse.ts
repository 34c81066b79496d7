/**
 * Where a module uses what differs from run to run: the clock, randomness, timers, and the world outside.
 */
import {
  childNode,
  childNodes,
  propertyKey,
  memberOf,
  identifierName,
  type Reference,
  type SyntaxNode,
} from './syntax.js'

export type HostKind = 'clock' | 'randomness' | 'timer' | 'world'

export type HostUse = { readonly node: SyntaxNode; readonly kind: HostKind; readonly what: string }

const timers: ReadonlySet<string> = new Set([
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'requestAnimationFrame'],
])
const world: ReadonlySet<string> = new Set([
  ...['fetch', 'console', 'process', 'WebSocket', 'XMLHttpRequest', 'localStorage', 'Bun', 'Deno'],
])

/** Members of globals, and of names imported from elsewhere, by the object's name. */
const members: Readonly<Record<string, Readonly<Record<string, HostKind>>>> = {
  Date: { now: 'clock' },
  performance: { now: 'clock', timeOrigin: 'clock' },
  process: { hrtime: 'clock', uptime: 'clock', nextTick: 'timer' },
  Temporal: { Now: 'clock' },
  Math: { random: 'randomness' },
  crypto: { randomUUID: 'randomness', getRandomValues: 'randomness' },
  DateTime: { now: 'clock' },
}

/** Whatever is imported from these. Paths of Node without `node:`. */
const modules: Readonly<Record<string, HostKind>> = {
  perf_hooks: 'clock',
  timers: 'timer',
  'timers/promises': 'timer',
  ...Object.fromEntries(
    [
      ...['child_process', 'cluster', 'dgram', 'dns', 'dns/promises', 'fs', 'fs/promises', 'http', 'http2', 'https'],
      ...['net', 'os', 'process', 'readline', 'readline/promises', 'sqlite', 'tls', 'worker_threads'],
    ].map((name): [string, HostKind] => [name, 'world']),
  ),
  uuid: 'randomness',
  nanoid: 'randomness',
}

const randomOfCrypto = /^(random|getRandomValues|generate)/

/** Whether a call is given nothing: `new Date()` reads the clock, `new Date(0)` does not. */
const isEmptyCall = (node: SyntaxNode | null | undefined): boolean =>
  (node?.type === 'NewExpression' || node?.type === 'CallExpression') && childNodes(node, 'arguments').length === 0

const use = (node: SyntaxNode, kind: HostKind, what: string): HostUse => ({ node, kind, what })

/** What a member of an object is read for, where the object is known by its name. */
const useOfMember = (object: string, identifier: SyntaxNode): HostUse | undefined => {
  const access = identifier.parent
  if (access?.type !== 'MemberExpression' || childNode(access, 'object') !== identifier) return undefined
  const name = propertyKey(access)
  if (name === undefined) return undefined
  const kind = members[object]?.[name]
  if (kind !== undefined) return use(access, kind, `${object}.${name}`)
  if (object === 'DateTime' && (name === 'local' || name === 'utc') && isEmptyCall(access.parent))
    return use(access, 'clock', `DateTime.${name}()`)
  return undefined
}

const useOfGlobal = (name: string, identifier: SyntaxNode): HostUse | undefined => {
  const { parent } = identifier
  if (name === 'globalThis' && parent?.type === 'MemberExpression') {
    const member = propertyKey(parent)
    return member === undefined ? undefined : useOfGlobal(member, parent)
  }
  if (name === 'Date' && parent && childNode(parent, 'callee') === identifier) {
    if (parent.type === 'CallExpression') return use(parent, 'clock', 'Date()')
    if (isEmptyCall(parent)) return use(parent, 'clock', 'new Date()')
  }
  const byMember = useOfMember(name, identifier)
  if (byMember !== undefined) return byMember
  if (timers.has(name)) return use(identifier, 'timer', name)
  return world.has(name) ? use(identifier, 'world', name) : undefined
}

const importedFrom = ({ resolved }: Reference): { readonly module: string; readonly name: string } | undefined => {
  const definition = resolved?.defs[0]
  if (definition?.type !== 'ImportBinding') return undefined
  const declaration = definition.parent ?? definition.node.parent
  const source = declaration ? childNode(declaration, 'source') : undefined
  const path = source === undefined ? undefined : memberOf(source, 'value')
  if (typeof path !== 'string') return undefined
  const imported = childNode(definition.node, 'imported')
  return { module: path.replace(/^node:/, ''), name: identifierName(imported) ?? resolved?.name ?? '' }
}

const useOfImport = (module: string, name: string, identifier: SyntaxNode): HostUse | undefined => {
  const what = `${name} of ${module}`
  const kind = Object.hasOwn(modules, module) ? modules[module] : undefined
  if (kind !== undefined) return use(identifier, kind, what)
  if (module === 'crypto') {
    const access = identifier.parent
    const member = access?.type === 'MemberExpression' ? propertyKey(access) : undefined
    const read = member === undefined ? name : `${name}.${member}`
    return randomOfCrypto.test(member ?? name) ? use(identifier, 'randomness', `${read} of crypto`) : undefined
  }
  return module === 'luxon' ? useOfMember(name, identifier) : undefined
}

/** What a use of a name reads of the host, if it does. */
export const hostUseOf = (reference: Reference): HostUse | undefined => {
  const { identifier, resolved, isTypeReference } = reference
  if (isTypeReference === true) return undefined
  const imported = importedFrom(reference)
  if (imported !== undefined) return useOfImport(imported.module, imported.name, identifier)
  const isGlobal = resolved === null || resolved.defs.length === 0
  const name = identifierName(identifier)
  return isGlobal && name !== undefined ? useOfGlobal(name, identifier) : undefined
}
