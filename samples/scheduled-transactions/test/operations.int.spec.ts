/** Operations of an app: what they may say of themselves, and what they may do to the network. */
import { expect } from 'chai'
import * as t from 'io-ts'
import { left } from 'fp-ts/lib/Either.js'
import { defineOperation } from '../operations/Operation.js'
import { needs } from '../model/Account.js'
import { meaningOf, type ResponseCode } from '../model/ResponseCode.js'
import { defaultSettings } from '../model/Settings.js'
import { Scene } from './Scene.js'

const order = defineOperation({
  kind: 'shop/Order',
  asked: t.strict({ what: t.string }),
  problem: ({ what }) => (what === 'nothing' ? 'shop/NOTHING_ORDERED' : undefined),
  needs: ({ what }) => {
    if (what === 'trap') throw new Error('a defect of the app')
    return needs({})
  },
  *perform(_books, { what }) {
    if (what === 'odd') return left(JSON.parse('"no code at all"') as ResponseCode)
    return left('shop/OUT_OF_STOCK')
  },
})

describe('an operation of an app', () => {
  const open = () =>
    Scene.open({ operations: [order], settings: { whitelist: [...defaultSettings.whitelist, order.kind] } })

  it('refuses with codes of its own, at once, scheduled and when it is executed', async () => {
    const scene = await open()
    const submitted = await scene.submit({ kind: order.kind, what: 'milk' })
    expect([submitted.status, submitted.handled]).to.deep.equal(['shop/OUT_OF_STOCK', true])
    expect(meaningOf('shop/OUT_OF_STOCK')).to.contain('of the operation’s own')
    const body = (what: string): string => JSON.stringify({ operation: { kind: order.kind, what } })
    expect((await scene.create(body('nothing'))).status).to.equal('shop/NOTHING_ORDERED')
    const executed = await scene.create(body('milk'), { signs: ['D'] })
    expect([executed.status, executed.execution?.receipt.status]).to.deep.equal(['SUCCESS', 'shop/OUT_OF_STOCK'])
    expect(await scene.result(executed.receipt?.schedule ?? '')).to.equal('shop/OUT_OF_STOCK')
  })

  it('that throws while it is read, or refuses with what is no code, fails by itself', async () => {
    const scene = await open()
    for (const what of ['trap', 'odd'])
      expect((await scene.submit({ kind: order.kind, what })).status, what).to.equal('FAIL_INVALID')
    expect((await scene.submit({ kind: 'cryptoTransfer', transfers: [] })).status).to.equal('SUCCESS')
  })
})
