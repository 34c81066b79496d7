import { expect } from 'chai'
import { callTree, readProfile } from '../../bench/profile/CpuProfile.js'
import { bySelfTime, flameGraphSvg } from '../../bench/profile/flameGraph.js'

const frame = (functionName: string, url = 'file:///x/dist/a.js') => ({ functionName, url, lineNumber: 4 })

/** `main` calls `work` by two ways that look the same, and waits in between. */
const profile = {
  nodes: [
    { id: 1, callFrame: frame('(root)', ''), children: [2, 5] },
    { id: 2, callFrame: frame('main'), children: [3, 4] },
    { id: 3, callFrame: frame('work<T>') },
    { id: 4, callFrame: frame('work<T>') },
    { id: 5, callFrame: frame('(idle)', '') },
  ],
  samples: [2, 3, 4, 5],
  timeDeltas: [100, 200, 100, 5_000],
}

describe('a profile of a benchmark', () => {
  it('names an expression by the beginning of its source', () => {
    const source = `RegExp: ^${'x'.repeat(1_000)}$`
    const nodes = [
      { id: 1, callFrame: frame('(root)', ''), children: [2] },
      { id: 2, callFrame: frame(source, '') },
    ]
    const tree = callTree(readProfile(JSON.stringify({ nodes, samples: [2], timeDeltas: [1] })))
    expect(tree.calls[0]?.name).to.equal(`${source.slice(0, 60)}…`)
  })

  it('becomes a tree in which a function stands once under its callers, and waiting is left out', () => {
    const tree = callTree(readProfile(JSON.stringify(profile)))
    expect(tree.totalUs).to.equal(400)
    expect(tree.calls).to.deep.equal([
      {
        ...{ name: 'main', place: 'dist/a.js:5', selfUs: 100, totalUs: 400 },
        calls: [{ name: 'work<T>', place: 'dist/a.js:5', selfUs: 300, totalUs: 300, calls: [] }],
      },
    ])
    expect(bySelfTime(tree)[0]).to.deep.equal({ name: 'work<T> (dist/a.js:5)', share: 0.75 })
  })

  it('is drawn with a box and a tooltip for each function', () => {
    const svg = flameGraphSvg('a & b', callTree(profile))
    expect(svg).to.contain('a &amp; b')
    expect(svg).to.contain('<title>work&lt;T&gt; (dist/a.js:5): 75.0 %, 75.0 % in itself</title>')
    expect(svg.match(/<g>/g)).to.have.length(3)
  })

  it('is refused when it is none', () => {
    expect(() => readProfile('{}')).to.throw('no CPU profile')
  })
})
