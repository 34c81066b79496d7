/** All SQL is in storage/ and logs/: other rooms ask queries that have a name. */
import { expect } from 'chai'
import ts from 'typescript'
import { sources, type Source } from './sources.js'

const statement =
  /^\s*(SELECT\s|WITH\s+\w+.*\bAS\b|INSERT\s+(OR\s+\w+\s+)?INTO\b|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\b|PRAGMA\s|VACUUM\b|(CREATE|DROP)\s+(UNIQUE\s+|TEMP\s+)?(TABLE|INDEX|TRIGGER)\b|(BEGIN|COMMIT|ROLLBACK)\b)/

/** Where a file prepares a statement, runs one, or has the text of one. */
const sqlIn = ({ file, text }: Source): readonly string[] => {
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node)
    const isCall = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)
    const called = isCall ? node.expression : undefined
    if (isText && statement.test(node.text)) found.push(`${file}: ${node.text.slice(0, 40)}`)
    if (called?.name.text === 'prepare') found.push(`${file}: prepare(`)
    // A regular expression has an exec of its own; a database has a name that says so.
    if (called?.name.text === 'exec' && /(\bdb|database|sqlite)$/i.test(called.expression.getText(parsed)))
      found.push(`${file}: exec(`)
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return found
}

const isOutside = ({ file }: Source): boolean => !/^(storage|logs)\//.test(file)

describe('SQL', () => {
  it('is in storage/ and logs/ only', () => {
    expect(sources().filter(isOutside).flatMap(sqlIn)).to.deep.equal([])
  })

  it('is found where it is planted', () => {
    for (const text of [
      "const rows = db.prepare('x').all()",
      'this.#db.exec(text)',
      "const text = 'SELECT count(*) AS n FROM states'",
      'const text = `DELETE FROM ${table}`',
      "run('PRAGMA user_version')",
      "run('BEGIN IMMEDIATE')",
    ])
      expect(sqlIn({ file: 'http/planted.ts', text }), text).not.to.be.empty
  })

  it('is not seen in prose or in regular expressions', () => {
    for (const text of ['const m = /a/.exec(line)', "const words = 'Select a node'", '/* SELECT */ const a = 1'])
      expect(sqlIn({ file: 'http/prose.ts', text }), text).to.be.empty
  })
})
