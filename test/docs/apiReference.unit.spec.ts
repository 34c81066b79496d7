import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { apiReference, signatureOf } from '../../scripts/docsSite/apiReference.js'
import { packageEntries } from '../../scripts/packageEntries.js'
import { repository } from './pages.js'

/** What a signature would not parse as: a bracket that is not closed, or half of a line. */
const faultIn = (code: string): string | undefined => {
  const text = code.replaceAll(' …', ' ok')
  const file = ts.createSourceFile('api.ts', text, ts.ScriptTarget.ES2022, true) as ts.SourceFile & {
    readonly parseDiagnostics: readonly ts.Diagnostic[]
  }
  const [fault] = file.parseDiagnostics
  return fault === undefined ? undefined : `${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}: ${code}`
}

const blocksOf = (page: string): readonly string[] =>
  [...page.matchAll(/^```ts\n([\s\S]*?)\n```$/gm)].map(([, code = '']) => code)

const planted = (source: string): string => {
  const [statement] = ts.createSourceFile('planted.ts', source, ts.ScriptTarget.ES2022, true).statements
  if (statement === undefined) throw new Error('nothing was planted')
  return signatureOf(
    ts.isVariableStatement(statement) ? statement.declarationList.declarations[0]! : (statement as ts.ClassDeclaration),
  )
}

describe('the reference of the public names', () => {
  let pages: ReturnType<typeof apiReference>
  before(() => {
    pages = apiReference(repository, packageEntries())
  })

  it('shows signatures that are whole', () => {
    const blocks = pages.flatMap(({ text }) => blocksOf(text))
    expect(blocks.length).to.be.greaterThan(300)
    expect(blocks.flatMap((code) => faultIn(code) ?? [])).to.deep.equal([])
  })

  it('says of each public method and field of a class what its comment says', () => {
    const all = pages.map(({ text }) => text).join('\n')
    let commented = 0
    for (const file of readdirSync(join(repository, 'src'), { recursive: true, encoding: 'utf8' })) {
      const text = file.endsWith('.ts') ? readFileSync(join(repository, 'src', file), 'utf8') : ''
      if (!text.includes('export class ')) continue
      const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true)
      for (const declaration of statements.filter(ts.isClassDeclaration)) {
        if (!all.includes(`\nclass ${declaration.name?.text ?? ''} `)) continue
        for (const member of declaration.members) {
          const [comment] = ts.getJSDocCommentsAndTags(member)
          const isHidden =
            member.name?.getText().startsWith('#') === true ||
            (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0
          if (comment === undefined || isHidden) continue
          commented += 1
          expect(all, `${declaration.name?.text ?? ''}.${member.name?.getText() ?? ''}`).to.contain(comment.getText())
        }
      }
    }
    expect(commented).to.be.greaterThan(50)
  })

  it('keeps what stands on several lines, and the text of a method, and leaves bodies out', () => {
    expect(
      planted(`export class Clock {
  #hands = 2
  /** Winds it up. */
  wind(
    turns: number,
    { by = 'hand' }: { readonly by?: string } = {},
  ): number {
    return turns + this.#hands
  }
  private stop(): void {}
}`),
    ).to.equal(`class Clock {
  /** Winds it up. */
  wind(
    turns: number,
    { by = 'hand' }: { readonly by?: string } = {},
  ): number
}`)
    expect(planted('export const add = (\n  one: number,\n  two: number,\n): number => one + two')).to.equal(
      'const add = (\n  one: number,\n  two: number,\n): number => …',
    )
    expect(planted('export function add(one: number): number {\n  return one\n}')).to.equal(
      'function add(one: number): number',
    )
    expect(faultIn('class Clock {\n  wind({\n}')).not.to.equal(undefined)
  })
})
