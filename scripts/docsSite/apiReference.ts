/**
 * The reference of the public names, as Markdown: each with its doc comment and its signature, read from the sources.
 */
import { basename, join } from 'node:path'
import ts from 'typescript'
import type { PackageEntry } from '../packageEntries.js'

const optionsOf = (): ts.CompilerOptions => ({
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  customConditions: ['carillon-source'],
  // Names and comments are read, types are not: neither the library nor the packages are needed for that.
  noLib: true,
  types: [],
})

/** The doc comment of a member, as it stands there; nothing where there is none. */
const commentOf = (member: ts.Node): string => {
  const text = member.getSourceFile().text
  const doc = ts
    .getLeadingCommentRanges(text, member.getFullStart())
    ?.filter(({ pos }) => text.startsWith('/**', pos))
    .at(-1)
  return doc === undefined ? '' : `  ${text.slice(doc.pos, doc.end)}\n`
}

/** What stands before the body of a function, whole, over as many lines as it takes. */
const headOf = (node: ts.Node, body: ts.Node | undefined): string =>
  body === undefined
    ? node.getText()
    : node
        .getText()
        .slice(0, body.getStart() - node.getStart())
        .trimEnd()

const isPublic = (member: ts.ClassElement): boolean =>
  member.name?.getText().startsWith('#') !== true &&
  !(ts.canHaveModifiers(member) && ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword))

/** A member of a class as a caller sees it: a field that holds a function keeps its head only. */
const memberOf = (member: ts.ClassElement): string => {
  if ('body' in member) return headOf(member, member.body as ts.Node | undefined)
  if (!ts.isPropertyDeclaration(member) || member.initializer === undefined) return member.getText()
  return member.type === undefined && ts.isArrowFunction(member.initializer)
    ? `${headOf(member, member.initializer.body)} …`
    : member.getText().slice(0, (member.type ?? member.name).getEnd() - member.getStart())
}

/** Up to the bracket that opens the members: the name, and what it extends. */
const headOfClass = (declaration: ts.ClassDeclaration): string => {
  const open = declaration.getChildren().find(({ kind }) => kind === ts.SyntaxKind.OpenBraceToken)
  const text = declaration.getText()
  return text.slice(0, (open?.getEnd() ?? declaration.getEnd()) - declaration.getStart())
}

const classOf = (declaration: ts.ClassDeclaration): string => {
  const members = declaration.members
    .filter((member) => isPublic(member) && !ts.isClassStaticBlockDeclaration(member))
    .map((member) => `${commentOf(member)}  ${memberOf(member)}`)
  return [headOfClass(declaration), members.join('\n\n'), '}'].join('\n')
}

/** A function without its body, a class without its insides: what a caller sees. */
export const signatureOf = (declaration: ts.Declaration): string => {
  const text = ((): string => {
    if (ts.isVariableDeclaration(declaration)) {
      const { name, type, initializer } = declaration
      if (type !== undefined) return `const ${name.getText()}: ${type.getText()}`
      return initializer !== undefined && ts.isArrowFunction(initializer)
        ? `const ${headOf(declaration, initializer.body)} …`
        : `const ${name.getText()}`
    }
    if (ts.isClassDeclaration(declaration)) return classOf(declaration)
    return ts.isFunctionDeclaration(declaration) ? headOf(declaration, declaration.body) : declaration.getText()
  })()
  return text.replace(/^export /, '')
}

const sectionFor = (checker: ts.TypeChecker, exported: ts.Symbol): string => {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  // A codec and its type, or the forms of one function, share a name; a body belongs to the last of them.
  const declarations = (symbol.declarations ?? []).filter(
    (declaration, _, all) =>
      all.length === 1 || !ts.isFunctionDeclaration(declaration) || declaration.body === undefined,
  )
  const code = declarations.map((declaration) => `\n\n\`\`\`ts\n${signatureOf(declaration)}\n\`\`\``).join('')
  return `## ${exported.getName()}\n\n${comment}${code}`
}

/** The pages of the reference: one for each entry of the package, and one that leads to them. */
export const apiReference = (
  repository: string,
  entries: readonly PackageEntry[],
): readonly { readonly path: string; readonly text: string }[] => {
  const fileOf = ({ source }: PackageEntry): string => join(repository, source)
  const program = ts.createProgram(entries.map(fileOf), optionsOf())
  const checker = program.getTypeChecker()
  const pages = entries.map((entry) => {
    const source = program.getSourceFile(fileOf(entry))
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${entry.source} is not a module`)
    const names = [...checker.getExportsOfModule(module)].sort((a, b) => (a.getName() < b.getName() ? -1 : 1))
    const text = [`# The package ${entry.specifier}`, ...names.map((name) => sectionFor(checker, name))].join('\n\n')
    return { entry, path: `docs/api/${basename(entry.specifier)}.md`, text, names }
  })
  const list = pages.map(
    ({ entry, path, names }) => `- [\`${entry.specifier}\`](${basename(path)}): ${names.length} names`,
  )
  return [{ path: 'docs/api/README.md', text: `# The public names\n\n${list.join('\n')}\n` }, ...pages]
}
