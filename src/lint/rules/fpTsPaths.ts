/**
 * fp-ts and io-ts were made before ES modules: of their files, Node.js finds only `fp-ts/lib/Option.js` from an ES module.
 */
import { lintRule, type LintListener } from '../LintRule.js'
import { childNode, memberOf, type SyntaxNode } from '../syntax.js'

/** The path of the file that Node.js finds, when it is another. */
const findable = (path: string): string | undefined => {
  const [, name = '', file = ''] = /^(fp-ts|io-ts)\/(.+)$/.exec(path) ?? []
  if (file === '' || file === 'package.json') return undefined
  const found = `${name}/lib/${file.replace(/^(lib|es6)\//, '').replace(/\.js$/, '')}.js`
  return found === path ? undefined : found
}

export const fpTsPaths = lintRule(
  'Files of fp-ts and io-ts are imported by paths that Node.js finds from an ES module',
  { path: 'Node.js does not find "{{path}}" from an ES module. Write "{{found}}".' },
  (context): LintListener => {
    const look = (node: SyntaxNode): void => {
      const source = childNode(node, 'source')
      const path = source === undefined ? undefined : memberOf(source, 'value')
      const found = typeof path === 'string' ? findable(path) : undefined
      if (source === undefined || typeof path !== 'string' || found === undefined) return
      context.report({
        node: source,
        messageId: 'path',
        data: { path, found },
        fix: (fixer) => fixer.replaceText(source, String(memberOf(source, 'raw')).replace(path, found)),
      })
    }
    return {
      ImportDeclaration: look,
      ExportNamedDeclaration: look,
      ExportAllDeclaration: look,
      ImportExpression: look,
    }
  },
  { fixable: 'code' },
)
