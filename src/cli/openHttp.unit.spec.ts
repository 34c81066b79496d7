import { expect } from 'chai'
import type { HttpServer } from '../http/listenHttp.js'
import { httpAddress, linkToPrint } from './openHttp.js'
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

describe('An address to serve HTTP on', () => {
  it('is a host and a port, or either of them', () => {
    const addresses = {
      '7411': ['127.0.0.1', 7_411],
      '0': ['127.0.0.1', 0],
      ':80': ['127.0.0.1', 80],
      '127.0.0.1:7411': ['127.0.0.1', 7_411],
      '[::1]:7411': ['::1', 7_411],
      'tower.example': ['tower.example', 0],
      'tower.example:443': ['tower.example', 443],
    }
    for (const [text, [host, port]] of Object.entries(addresses))
      expect(httpAddress(text), text).to.deep.equal({ host, port })
    for (const text of ['', 'a:b', '127.0.0.1:', '70000', 'a:70000', '::1:80:'])
      expect(() => httpAddress(text), text).to.throw()
  })
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
