import { expect } from 'chai'
import { readPage } from './pages.js'

const [program] = readPage('README.md').blocks.filter(({ language }) => language === 'ts')
const lines = (program?.text ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('//'))

describe('The first program of the README', () => {
  it('has a state, a flow and a deadline, and runs them', () => {
    for (const part of ['defineState(', 'withActivity(', 'defineFlow(', 'defineApp(', 'advanceBy('])
      expect(program?.text).to.contain(part)
  })

  it('takes at most 20 lines', () => {
    expect(lines.length).to.be.at.most(20)
  })

  it('imports at most six names, and annotates no type', () => {
    const names = lines.flatMap((line) => /^import \{ (.*) \} from/.exec(line)?.[1]?.split(', ') ?? [])
    expect(names.length).to.be.at.most(6)
    expect(lines.filter((line) => line.startsWith('import')).length, 'imports in braces').to.equal(2)
    expect(program?.text).not.to.contain('FlowBody')
  })
})
