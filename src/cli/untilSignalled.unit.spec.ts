import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { pauseFor } from './untilSignalled.js'

describe('a pause that can be cut short', () => {
  it('leaves nothing behind, however many there were', async () => {
    const { signal } = new AbortController()
    for (let turn = 0; turn < 20; turn += 1) await pauseFor(0, signal)
    expect(getEventListeners(signal, 'abort')).to.have.length(0)
  })

  it('ends at once when it is told to stop, before or meanwhile', async () => {
    const stopping = new AbortController()
    const pause = pauseFor(3_600_000, stopping.signal)
    stopping.abort()
    await pause
    await pauseFor(3_600_000, stopping.signal)
  })
})
