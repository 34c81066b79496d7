import { expect } from 'chai'
import { ProgressBar, type Extent } from './ProgressBar.js'
import type { Terminal } from './Terminal.js'

describe('a running count', () => {
  const shown: string[] = []
  const terminal: Terminal = {
    out: () => undefined,
    err: () => undefined,
    status: (text) => shown.push(text),
    redraw: () => undefined,
    fault: () => undefined,
    width: 80,
    tone: (_, text) => text,
  }
  let nowMs = 0
  const counting = (extent?: number | Extent): ProgressBar => {
    nowMs = 0
    shown.length = 0
    return new ProgressBar(terminal, 'Importing', extent, () => nowMs)
  }

  it('is not shown for what takes no time, and then a few times a second', () => {
    const progress = counting()
    for (nowMs = 0; nowMs <= 1_000; nowMs += 10) progress.count(nowMs)
    expect(shown).to.have.length(6)
    expect(shown[0]).to.equal('Importing: 500 events, 1,000 a second')
  })

  it('has a bar where it is known how many there are', () => {
    const progress = counting(2_000)
    nowMs = 500
    progress.count(1_000)
    expect(shown).to.deep.equal(['Importing: ████████████░░░░░░░░░░░░ 50 %, 1,000 events, 2,000 a second'])
  })

  it('has a bar where it is known how far something else has come, such as the bytes of a file', () => {
    const progress = counting({ total: 400, done: () => 100 })
    nowMs = 1_000
    progress.count(7)
    expect(shown).to.deep.equal(['Importing: ██████░░░░░░░░░░░░░░░░░░ 25 %, 7 events, 7 a second'])
  })
})
