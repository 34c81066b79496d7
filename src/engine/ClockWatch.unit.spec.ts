import { expect } from 'chai'
import { toMillis, instant } from '../time/Instant.js'
import { engineLimits } from './limits.js'
import { ClockWatch } from './ClockWatch.js'
import { silentLogger, type LogFields } from './Logger.js'

const startMs = toMillis(instant('2026-01-01T12:00:00.000Z'))

describe('a watch over the clock', () => {
  let lines: LogFields[]
  const watch = (lastMs = startMs): ClockWatch =>
    new ClockWatch(
      { ...silentLogger, warn: (message, fields) => lines.push({ message, ...fields }) },
      engineLimits,
      lastMs,
    )

  beforeEach(() => {
    lines = []
  })

  it('says nothing while the clock goes on as time does', () => {
    const clock = watch()
    for (let ms = 0; ms < 10_000_000; ms += 999_999) clock.look(startMs + ms, 5_000 + ms + (ms % 7))
    expect(lines).to.deep.equal([])
  })

  for (const byMs of [3_600_000, -3_600_000, 1_000, -1_000])
    it(`tells both times when it jumps by ${byMs} ms`, () => {
      const clock = watch()
      clock.look(startMs, 0)
      clock.look(startMs + 250 + byMs, 250)
      const [line] = lines
      expect(lines).to.have.length(1)
      expect(line).to.deep.include({ from: '2026-01-01T12:00:00.250Z', byMs })
      expect(toMillis(instant(String(line!['to'])))).to.equal(startMs + 250 + byMs)
      expect(String(line!['message'])).to.include(String(line!['from'])).and.to.include(String(line!['to']))
      clock.look(startMs + 500 + byMs, 500)
      expect(lines, 'once').to.have.length(1)
    })

  it('tells when it went back while no node ran, and without a steady clock', () => {
    const clock = watch()
    clock.look(startMs - 60_000, undefined)
    clock.look(startMs + 600_000, undefined)
    clock.look(startMs + 540_000, undefined)
    expect(lines.map(({ byMs }) => byMs)).to.deep.equal([-60_000, -60_000])
  })
})
