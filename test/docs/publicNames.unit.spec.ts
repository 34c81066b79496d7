import { expect } from 'chai'
import { join } from 'node:path'
import ts from 'typescript'
import { packageEntries } from '../../scripts/packageEntries.js'
import { repository } from './pages.js'

const entries = packageEntries().map(({ source }) => join(repository, source))

describe('the public names', () => {
  it('each say in a doc comment what they are for', function () {
    const program = ts.createProgram(entries, {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      customConditions: ['carillon-source'],
      // Comments are read, types are not: neither the library nor the packages are needed for that.
      noLib: true,
      types: [],
    })
    const checker = program.getTypeChecker()
    const silent = entries.flatMap((entry) => {
      const file = program.getSourceFile(entry)
      const module = file === undefined ? undefined : checker.getSymbolAtLocation(file)
      if (module === undefined) throw new Error(`${entry} is not a module`)
      return checker
        .getExportsOfModule(module)
        .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
        .filter((symbol) => symbol.getDocumentationComment(checker).length === 0)
        .map((symbol) => symbol.getName())
    })
    expect(silent).to.deep.equal([])
  })
})
