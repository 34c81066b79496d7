/**
 * What a rule and the plugin are to a linter. The types are our own and as small as can be, so that Carillon's depend on
 * no version of ESLint.
 */
import type { Scope, SyntaxNode } from './syntax.js'

/** What ESLint gives a rule. */
export type LintContext = {
  readonly sourceCode: {
    readonly scopeManager: { readonly scopes: readonly Scope[] } | null
  }
  report(finding: {
    readonly node: SyntaxNode
    readonly messageId: string
    readonly data?: Readonly<Record<string, string>>
    readonly fix?: (fixer: { replaceText(node: SyntaxNode, text: string): unknown }) => unknown
  }): void
}

/** What a rule looks at, by the type of the node. */
export type LintListener = Readonly<Record<string, (node: SyntaxNode) => void>>

/** A rule of ESLint. */
export type LintRule = {
  readonly meta: {
    readonly type: 'problem'
    readonly docs: { readonly description: string }
    readonly messages: Readonly<Record<string, string>>
    readonly schema: readonly never[]
    readonly fixable?: 'code'
  }
  create(context: LintContext): LintListener
}

/** A plugin of ESLint, for its flat configuration. */
export type LintPlugin = {
  readonly meta: { readonly name: string }
  readonly rules: Readonly<Record<string, LintRule>>
  readonly configs: { readonly recommended: LintConfig }
}

/** An entry of a flat configuration. */
export type LintConfig = {
  readonly name: string
  readonly plugins: Readonly<Record<string, LintPlugin>>
  readonly rules: Readonly<Record<string, 'error'>>
}

export const lintRule = (
  description: string,
  messages: Readonly<Record<string, string>>,
  create: (context: LintContext) => LintListener,
  options: { readonly fixable?: 'code' } = {},
): LintRule => ({
  meta: { type: 'problem', docs: { description }, messages, schema: [], ...options },
  create,
})

/** Every use of every name in a module. */
export const referencesIn = ({ sourceCode }: LintContext): Scope['references'] =>
  (sourceCode.scopeManager?.scopes ?? []).flatMap(({ references }) => references)
