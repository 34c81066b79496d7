/**
 * `carillon/eslint-plugin`: rules that find in an editor what a development node finds when it runs, and what no run finds
 * before a restart.
 */
import type { LintPlugin, LintRule } from './LintRule.js'
import { awaitNode } from './rules/awaitNode.js'
import { deterministicFlow } from './rules/deterministicFlow.js'
import { fpTsPaths } from './rules/fpTsPaths.js'
import { noAwaitInFlow } from './rules/noAwaitInFlow.js'
import { pureState } from './rules/pureState.js'
import { yieldStar } from './rules/yieldStar.js'

const rules: Readonly<Record<string, LintRule>> = {
  'await-node': awaitNode,
  'deterministic-flow': deterministicFlow,
  'fp-ts-paths': fpTsPaths,
  'no-await-in-flow': noAwaitInFlow,
  'pure-state': pureState,
  'yield-star': yieldStar,
}

const name = 'carillon'
const all = Object.fromEntries(Object.keys(rules).map((rule) => [`${name}/${rule}`, 'error' as const]))

/** Rules of ESLint for apps on Carillon. `configs.recommended` turns all of them on. */
const plugin: LintPlugin = {
  meta: { name },
  rules,
  configs: {
    recommended: {
      name: 'carillon/recommended',
      rules: all,
      get plugins() {
        return { carillon: plugin }
      },
    },
  },
}

export default plugin
export type { LintConfig, LintContext, LintListener, LintPlugin, LintRule } from './LintRule.js'
export type { Reference, Scope, SyntaxNode, Variable } from './syntax.js'
