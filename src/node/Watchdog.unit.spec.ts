import { expect } from 'chai'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineLimits } from '../engine/limits.js'
import { silentLogger } from '../engine/Logger.js'
import { Watchdog } from './Watchdog.js'

describe('The note of code that did not return', () => {
  it('stops nothing when it cannot be written, and is warned about', () => {
    const warnings: string[] = []
    const watchdog = new Watchdog({
      logger: { ...silentLogger, warn: (message) => warnings.push(message) },
      limits: engineLimits,
      file: join(tmpdir(), 'carillon-there-is-no-such-folder', 'not-returned.json'),
    })
    watchdog.forget('flow a')
    watchdog.stop()
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.include('flow a')
  })
})
