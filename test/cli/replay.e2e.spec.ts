import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { carillon, documents, fixtureApp } from './spawnCarillon.js'

const root = resolve(import.meta.dirname, '../..')
const recorded = join(root, 'test/replay/0.1.0/heartbeat')

describe('carillon replay', function () {
  it('says of every log in a folder that the code agrees with it, and ends well', async () => {
    const app = join(root, 'samples/heartbeat/app.ts')
    const { code, stdout, stderr } = await carillon(['replay', app, '--against', recorded])
    expect(stderr).to.equal('')
    expect(code).to.equal(0)
    expect(stdout).to.match(/^LOG +EVENTS +TRANSACTIONS +FLOWS +RESULT\nheartbeat +\d+ +\d+ +\d+ +agrees\n$/)
  })

  it('names the differences, and ends with code 1', async () => {
    const { code, stdout, stderr } = await carillon(['replay', fixtureApp, '--against', recorded, '--json'])
    expect(code).to.equal(1)
    expect(stderr).to.match(/^error\[replay-differs\]: The code of app notes does not agree with the log heartbeat\./)
    const [report] = documents(stdout)
    expect(JSON.stringify(report?.['problems'])).to.include('App notes defines no state heartbeat/Heartbeat')
  })
})
