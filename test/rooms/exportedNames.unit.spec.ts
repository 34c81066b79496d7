/** One name, one file: a reader who looks a name up finds one definition. */
import { expect } from 'chai'
import ts from 'typescript'
import { sources, type Source } from './sources.js'

/** The names that a file defines and exports. What it passes on from another file is defined there. */
const exportedBy = ({ file, text }: Source): ReadonlySet<string> => {
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false)
  const isExported = (node: ts.Statement): boolean =>
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false)
  const named = (name: ts.BindingName): readonly string[] =>
    ts.isIdentifier(name)
      ? [name.text]
      : name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : named(element.name)))
  const defined = new Map<string, true>()
  const listed: string[] = []
  for (const node of parsed.statements) {
    if (ts.isExportDeclaration(node) && node.moduleSpecifier === undefined && node.exportClause !== undefined) {
      if (ts.isNamedExports(node.exportClause))
        listed.push(...node.exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text))
      continue
    }
    const names = ts.isVariableStatement(node)
      ? node.declarationList.declarations.flatMap(({ name }) => named(name))
      : (ts.isFunctionDeclaration(node) ||
            ts.isClassDeclaration(node) ||
            ts.isTypeAliasDeclaration(node) ||
            ts.isInterfaceDeclaration(node) ||
            ts.isEnumDeclaration(node)) &&
          node.name !== undefined
        ? [node.name.text]
        : []
    for (const name of names) defined.set(name, true)
    if (isExported(node)) listed.push(...names)
  }
  return new Set(listed.filter((name) => defined.has(name)))
}

const definedTwice = (all: readonly Source[]): readonly string[] => {
  const files = new Map<string, string[]>()
  for (const source of all)
    for (const name of exportedBy(source)) files.set(name, [...(files.get(name) ?? []), source.file])
  return [...files].filter(([, places]) => places.length > 1).map(([name, places]) => `${name}: ${places.join(', ')}`)
}

describe('An exported name', () => {
  it('is defined in one file', () => {
    expect(definedTwice(sources())).to.deep.equal([])
  })

  it('is found when it is planted a second time, however it is written', () => {
    const first = { file: 'a.ts', text: 'export type Place = number\nexport const { one } = { one: 1 }' }
    for (const text of ['export const Place = 1', 'class Place {}\nexport { Place }', 'export function Place() {}'])
      expect(definedTwice([first, { file: 'b.ts', text }])).to.deep.equal(['Place: a.ts, b.ts'])
    expect(definedTwice([first, { file: 'b.ts', text: 'export const [one] = [1]' }])).to.deep.equal(['one: a.ts, b.ts'])
  })

  it('may be passed on, and a type may have the name of its value', () => {
    const passing = "export { Place } from './a.js'\nimport { one } from './a.js'\nexport { one }"
    const first = { file: 'a.ts', text: 'export const Place = 1\nexport type Place = 1\nexport const one = 1' }
    expect(definedTwice([first, { file: 'b.ts', text: passing }])).to.deep.equal([])
  })
})
