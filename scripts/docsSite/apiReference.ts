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

/** A function without its body, a class without its insides: what a caller sees. */
const signatureOf = (declaration: ts.Declaration): string => {
  if (ts.isVariableDeclaration(declaration)) {
    const { name, type, initializer } = declaration
    if (type !== undefined) return `const ${name.getText()}: ${type.getText()}`
    if (initializer !== undefined && ts.isArrowFunction(initializer)) {
      const head = initializer
        .getText()
        .slice(0, initializer.equalsGreaterThanToken.getStart() - initializer.getStart())
      return `const ${name.getText()} = ${head.trim()} => …`
    }
    return `const ${name.getText()}`
  }
  if (ts.isClassDeclaration(declaration)) {
    const members = declaration.members.flatMap((member) => {
      const isPrivate = member.name?.getText().startsWith('#') === true
      const isHidden = ts.canHaveModifiers(member)
        ? ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
        : false
      if (isPrivate || isHidden === true) return []
      const body = 'body' in member ? (member.body as ts.Node | undefined) : undefined
      const text = member.getText()
      return [
        `  ${(body === undefined ? text : text.slice(0, body.getStart() - member.getStart())).split('\n')[0]?.trim() ?? ''}`,
      ]
    })
    return [`class ${declaration.name?.getText() ?? ''} {`, ...members, '}'].join('\n')
  }
  return declaration.getText().replace(/^export /, '')
}

const sectionFor = (checker: ts.TypeChecker, exported: ts.Symbol): string => {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  const [declaration] = symbol.declarations ?? []
  const code = declaration === undefined ? '' : `\n\n\`\`\`ts\n${signatureOf(declaration)}\n\`\`\``
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
