import { expect } from 'chai'
import type { Node } from 'carillon'
import type { Block } from 'carillon/http'
import { agree, announce, names, partiesOf, startSwapNetwork } from '../network.js'
import { ratesPanel } from '../oracle/panel.js'
import { swapsPanel } from '../panel.js'
import { exampleRates, exampleTrade } from '../trades.js'

type TableBlock = Extract<Block, { readonly kind: 'table' }>

const tableOf = async (node: Node): Promise<TableBlock> => {
  const found = (await swapsPanel.read(node)).find(
    (block): block is TableBlock => block.kind === 'table' && block.rows.length > 0,
  )
  if (found === undefined) throw new Error('the panel has no cash flows')
  return found
}

describe('the panel of the swaps', () => {
  it('says how to begin while no trade is open', async () => {
    const network = await startSwapNetwork()
    const [block] = await swapsPanel.read(network.node(names.fixedPayer))
    expect(block).to.deep.include({ kind: 'table', empty: 'No trade is open. Start one with the flow swap/Offer.' })
  })

  it('shows fixings and cash flows as they come, the same to both banks and the regulator', async () => {
    const network = await startSwapNetwork()
    await announce(network, exampleRates)
    await agree(network, exampleTrade(partiesOf(network), '2017-03-11'))
    const bank = network.node(names.fixedPayer)
    const [first] = (await tableOf(bank)).rows
    expect(first?.cells).to.include({ date: '2016-06-13', fixes: '2016-03-09', rate: '…', net: '' })
    expect(first?.cells['is']).to.deep.equal({ lamp: 'grey', text: 'not fixed' })

    await network.advanceBy({ days: 3 })
    expect((await tableOf(bank)).rows[0]?.cells).to.deep.include({
      rate: '0.63518 %',
      floating: '40,588.00',
      net: '40,588.00',
      payer: names.floatingPayer,
      is: { lamp: 'blue', text: 'due' },
    })

    await network.advanceBy({ days: 100 })
    const table = await tableOf(bank)
    expect(table.rows[0]?.cells['is']).to.deep.equal({ lamp: 'green', text: 'paid' })
    for (const name of [names.floatingPayer, names.regulator])
      expect(await tableOf(network.node(name)), name).to.deep.equal(table)
  })

  it('has the rates of the oracle beside it, newest first', async () => {
    const network = await startSwapNetwork()
    await announce(network, exampleRates.slice(0, 3))
    const [block] = await ratesPanel.read(network.node(names.oracle))
    expect(block?.kind === 'table' ? block.rows.map(({ cells }) => cells['rate']) : []).to.deep.equal([
      '0.63518 %',
      '0.63517 %',
      '0.63516 %',
    ])
  })
})
