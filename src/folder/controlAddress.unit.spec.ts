import { expect } from 'chai'
import { controlPath, pipeOf } from './controlAddress.js'

describe('The address of a control socket', () => {
  it('is a file in the store folder', () => {
    expect(controlPath('data')).to.match(/[\\/]data[\\/]control\.sock$/)
    expect(pipeOf('data', 'linux')).to.equal(undefined)
  })

  it('is a named pipe of its own for each folder on Windows', () => {
    const pipe = pipeOf('data', 'win32')
    expect(pipe).to.match(/^\\\\\.\\pipe\\carillon-[0-9a-f]{32}$/)
    expect(pipeOf('./data', 'win32')).to.equal(pipe)
    expect(pipeOf('other', 'win32')).not.to.equal(pipe)
  })
})
