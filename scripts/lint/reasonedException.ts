/** An exception to a rule names the rule and says why: `oxlint-disable-next-line rule -- reason`. */
const exception =
  /^\s*(?:es|ox)lint-disable(?:-next-line|-line)?(?![\w-])(?<rules>[^]*?)(?:\s-{2,}\s(?<reason>[^]*))?$/u

type Comment = { readonly value: string }
type Context = {
  readonly sourceCode: { getAllComments(): readonly Comment[] }
  report(finding: { readonly node: Comment; readonly message: string }): void
}

export const reasonedException = {
  meta: { type: 'problem', docs: { description: 'An exception names its rule and says why' }, schema: [] },
  create: (context: Context) => ({
    Program: () => {
      for (const node of context.sourceCode.getAllComments()) {
        const { rules = '', reason = '' } = exception.exec(node.value)?.groups ?? { rules: 'none', reason: 'none' }
        if (rules.trim() === '' || reason.trim() === '')
          context.report({ node, message: 'Name the rule, and say why it does not hold here: `rule -- reason`.' })
      }
    },
  }),
}
