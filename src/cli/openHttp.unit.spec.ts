import { expect } from 'chai'
import type { HttpServer } from '../http/listenHttp.js'
import { linkToPrint } from './openHttp.js'
import type { Terminal } from './Terminal.js'

const terminal = (isWatched?: boolean): Terminal => ({
  out: () => undefined,
  err: () => undefined,
  status: () => undefined,
  redraw: () => undefined,
  fault: () => undefined,
  width: 80,
  tone: (_tone, text) => text,
  ...(isWatched === undefined ? {} : { isWatched }),
})

describe('A link to the dashboard', () => {
  it('is made where a person looks, or on request, and otherwise not at all', () => {
    let made = 0
    const http: HttpServer = {
      url: 'http://127.0.0.1:1',
      newLink: () => `link ${(made += 1)}`,
      api: undefined as never,
      close: () => Promise.resolve(),
    }
    expect(linkToPrint(http, {}, terminal())).to.equal(undefined)
    expect(linkToPrint(http, {}, terminal(false))).to.equal(undefined)
    expect(made).to.equal(0)
    expect(linkToPrint(http, {}, terminal(true))).to.equal('link 1')
    expect(linkToPrint(http, { link: true }, terminal(false))).to.equal('link 2')
    expect(linkToPrint(undefined, { link: true }, terminal(true))).to.equal(undefined)
  })
})
