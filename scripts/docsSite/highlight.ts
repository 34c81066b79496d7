/**
 * Code as HTML with its parts marked: comments, strings, numbers, words of the language, options of a command. The text
 * itself is never changed. TypeScript and JSON are read by the scanner of the compiler, which knows them best.
 */
import ts from 'typescript'

export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

type Part = 'comment' | 'string' | 'number' | 'word' | 'type' | 'option'

const mark = (part: Part | undefined, text: string): string =>
  part === undefined ? escape(text) : `<span class="${part}">${escape(text)}</span>`

const { SyntaxKind } = ts

/** After these a slash divides; anywhere else it begins a regular expression. */
const operands: ReadonlySet<ts.SyntaxKind> = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
])

const strings: ReadonlySet<ts.SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
])

const partOf = (kind: ts.SyntaxKind, text: string): Part | undefined => {
  if (kind === SyntaxKind.SingleLineCommentTrivia || kind === SyntaxKind.MultiLineCommentTrivia) return 'comment'
  if (strings.has(kind)) return 'string'
  if (kind === SyntaxKind.NumericLiteral || kind === SyntaxKind.BigIntLiteral) return 'number'
  // Words such as `type` and `of` are names too, and mostly are.
  if (kind >= SyntaxKind.FirstReservedWord && kind <= SyntaxKind.LastReservedWord) return 'word'
  if (/^(async|await|as|of|readonly|declare|satisfies|yield)$/.test(text)) return 'word'
  return kind === SyntaxKind.Identifier && /^[A-Z][a-z]/.test(text) ? 'type' : undefined
}

const highlightTs = (code: string): string => {
  const scanner = ts.createScanner(ts.ScriptTarget.ES2022, false, ts.LanguageVariant.Standard, code)
  /** Braces open in each template that is open. */
  const templates: number[] = []
  let html = ''
  let before: ts.SyntaxKind = SyntaxKind.Unknown
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    const depth = templates.at(-1)
    if (kind === SyntaxKind.SlashToken && !operands.has(before)) kind = scanner.reScanSlashToken()
    else if (kind === SyntaxKind.CloseBraceToken && depth === 0) {
      kind = scanner.reScanTemplateToken(false)
      if (kind === SyntaxKind.TemplateTail) templates.pop()
    } else if (depth !== undefined && kind === SyntaxKind.OpenBraceToken) templates.push((templates.pop() ?? 0) + 1)
    else if (depth !== undefined && kind === SyntaxKind.CloseBraceToken) templates.push((templates.pop() ?? 1) - 1)
    if (kind === SyntaxKind.TemplateHead) templates.push(0)
    const text = scanner.getTokenText()
    html += mark(partOf(kind, text), text)
    if (kind > SyntaxKind.LastTriviaToken) before = kind
  }
  return html
}

const shell =
  /(^|(?<=\s))#[^\n]*|'[^']*'|"(?:\\.|[^"\\])*"|(?<=^|\s)--?[a-z][\w-]*|\$\{?\w+\}?|(?<=^|\n|[|&]{1,2} )(?:\$ )?[\w./-]+/g

const highlightShell = (code: string): string => {
  let html = ''
  let end = 0
  for (const match of code.matchAll(shell)) {
    const [text] = match
    html += escape(code.slice(end, match.index))
    const part: Part = text.startsWith('#')
      ? 'comment'
      : /^['"]/.test(text)
        ? 'string'
        : text.startsWith('-')
          ? 'option'
          : text.startsWith('$') && !text.startsWith('$ ')
            ? 'type'
            : 'word'
    html += mark(part, text)
    end = match.index + text.length
  }
  return html + escape(code.slice(end))
}

/** Code of a language as HTML; of a language that is not known, as it is. */
export const highlight = (code: string, language: string): string => {
  if (/^(ts|tsx|js|mjs|json)$/.test(language)) return highlightTs(code)
  return /^(sh|bash)$/.test(language) ? highlightShell(code) : escape(code)
}
