import { expect } from 'chai'
import { allPages } from './pages.js'
import { highlight } from '../../scripts/docsSite/highlight.js'

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

describe('highlighted code', () => {
  it('marks comments, strings, numbers, words and options', () => {
    expect(highlight("const pot = 'Assam' // ready", 'ts')).to.equal(
      '<span class="word">const</span> pot = <span class="string">\'Assam\'</span> <span class="comment">// ready</span>',
    )
    expect(highlight('`a ${ { b: 1 }.b } c` / 2', 'ts')).to.match(
      /^<span class="string">`a \$\{<\/span>.*<span class="string">\} c`<\/span>/,
    )
    expect(highlight('{"limit": 20}', 'json')).to.contain('<span class="number">20</span>')
    expect(highlight("carillon vault --where 'amount>=100' # all", 'sh')).to.equal(
      `<span class="word">carillon</span> vault <span class="option">--where</span> <span class="string">'amount&gt;=100'</span> <span class="comment"># all</span>`,
    )
  })

  it('is the same text as before, on every page of the documentation', () => {
    let blocks = 0
    for (const { text } of allPages())
      for (const [, language = '', code = ''] of text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)) {
        blocks += 1
        expect(textOf(highlight(code, language))).to.equal(code)
      }
    expect(blocks).to.be.greaterThan(100)
  })
})
