import { expect } from 'chai'
import { decisionOf, decisionPages, type DecisionPage } from './decisions.js'

/** A decision holds, or a later one has changed it or taken its place. */
const statuses = ['Accepted', 'Changed', 'Superseded']

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(text).toISOString().startsWith(text)

const faultsOf = (pages: readonly DecisionPage[]): readonly string[] =>
  pages.flatMap(({ file, number, heading, title, date, status }, index) => [
    ...(/^\d{4}(-[a-z0-9]+)+\.md$/.test(file) ? [] : [`${file}: name it 0001-what-was-decided.md`]),
    ...(number === index + 1 ? [] : [`${file}: the number after ${index} is ${index + 1}`]),
    ...(heading === number && title !== '' ? [] : [`${file}: begin with "# ${number}. " and a title`]),
    ...(date !== undefined && isDay(date) && statuses.includes(status ?? '')
      ? []
      : [
          `${file}: the third line is "**Date.** 2026-01-31. **Status.** Accepted." with a status of ${statuses.join(', ')}`,
        ]),
    ...(date === undefined || date >= (pages[index - 1]?.date ?? '')
      ? []
      : [`${file}: dated before the one before it`]),
  ])

const page = (file: string, ...lines: readonly string[]): DecisionPage => decisionOf(file, lines.join('\n'))
const good = page('0001-one.md', '# 1. One', '', '**Date.** 2026-11-16. **Status.** Accepted.')

describe('the decisions', () => {
  it('are numbered in the order of their dates without a gap, and say their date and status', () => {
    expect(faultsOf(decisionPages())).to.deep.equal([])
  })

  it('are found wanting with a gap, the same number twice, no date, a day that is none, or an unknown status', () => {
    const faults = (...lines: readonly string[]): number => faultsOf([page('0001-one.md', ...lines)]).length
    expect(faultsOf([good])).to.deep.equal([])
    expect(faultsOf([good, { ...good, file: '0003-three.md', number: 3, heading: 3 }])).to.have.lengthOf(1)
    expect(faultsOf([good, good])).to.have.lengthOf(1)
    expect(
      faultsOf([good, { ...good, file: '0002-two.md', number: 2, heading: 2, date: '2026-11-15' }]),
    ).to.have.lengthOf(1)
    expect(faults('# 1. One', '', '**Context.** None.')).to.equal(1)
    expect(faults('# 1. One', '', '**Date.** 2026-02-31. **Status.** Accepted.')).to.equal(1)
    expect(faults('# 1. One', '', '**Date.** 2026-11-16. **Status.** Perhaps.')).to.equal(1)
    expect(faults('# One', '', '**Date.** 2026-11-16. **Status.** Accepted.')).to.equal(1)
    expect(faults('# 2. One', '', '**Date.** 2026-11-16. **Status.** Accepted.')).to.equal(1)
  })
})
