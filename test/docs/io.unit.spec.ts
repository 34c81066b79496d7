/** The page of io has a section for every operation, and for nothing else. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { FlowIo } from '../../src/app/FlowIo.js'

const page = readFileSync(new URL('../../docs/reference/io.md', import.meta.url), 'utf8')
const sections = page.split(/^### /m).slice(1)
const nameOf = (section: string): string => section.slice(0, section.indexOf('\n'))

describe('The page of io', () => {
  it('has a section for every operation, and for nothing else', () => {
    const operations = Object.getOwnPropertyNames(FlowIo.prototype).filter((name) => name !== 'constructor')
    expect(sections.map(nameOf).sort()).to.deep.equal(operations.sort())
  })

  it('says of each what its options are, what is recorded, and what happens after a restart', () => {
    for (const section of sections)
      for (const part of ['**Options:**', '**Recorded:**', '**After a restart:**'])
        expect(section, nameOf(section)).to.contain(part)
  })

  it('has every operation in an example, or says where there is one', () => {
    const others = page.slice(page.indexOf('## Other parties'))
    const code = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text).join('\n')
    for (const section of sections) {
      const name = nameOf(section)
      if (!others.includes(`### ${name}\n`)) expect(code, name).to.contain(`io.${name}(`)
    }
  })
})
