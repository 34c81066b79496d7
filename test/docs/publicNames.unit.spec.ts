import { expect } from 'chai'
import { join } from 'node:path'
import ts from 'typescript'
import { packageEntries } from '../../scripts/packageEntries.js'
import { repository } from './pages.js'

const entries = packageEntries().map(({ source }) => join(repository, source))

describe('the public names', () => {
  let program: ts.Program
  let checker: ts.TypeChecker
  before(() => {
    program = ts.createProgram(entries, {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      customConditions: ['carillon-source'],
      // Comments are read, types are not: neither the library nor the packages are needed for that.
      noLib: true,
      types: [],
    })
    checker = program.getTypeChecker()
  })

  const exportsOf = (entry: string): readonly ts.Symbol[] => {
    const file = program.getSourceFile(entry)
    const module = file === undefined ? undefined : checker.getSymbolAtLocation(file)
    if (module === undefined) throw new Error(`${entry} is not a module`)
    return checker
      .getExportsOfModule(module)
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
  }

  it('each say in a doc comment what they are for', () => {
    const silent = entries
      .flatMap(exportsOf)
      .filter((symbol) => symbol.getDocumentationComment(checker).length === 0)
      .map((symbol) => symbol.getName())
    expect(silent).to.deep.equal([])
  })

  it('have the brand of each codec beside it: an app that makes declarations of its own must be able to name it', () => {
    let brands = 0
    const missing = entries.flatMap((entry) => {
      const symbols = exportsOf(entry)
      const names = new Set(symbols.map((symbol) => symbol.getName()))
      const needed = symbols.flatMap((symbol) =>
        [...(symbol.valueDeclaration?.getText() ?? '').matchAll(/Branded<[^>]*\b(\w+Brand)\b/g)].map(
          ([, name = '']) => name,
        ),
      )
      brands += needed.length
      return needed.filter((name) => !names.has(name))
    })
    expect(missing).to.deep.equal([])
    expect(brands).to.be.greaterThan(5)
  })
})
