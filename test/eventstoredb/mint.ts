/**
 * What the specs of a node on EventStoreDB share: minting as a careful caller does, and waiting.
 */
import { expect } from 'chai'
import type { CarillonError, Node } from '../../src/index.js'
import { Coin, MintCoin } from '../store/bank.js'

export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fulfilled',
    (error: unknown) => (error as CarillonError).code,
  )

export const until = async (what: string, holds: () => boolean): Promise<void> => {
  const end = performance.now() + 20_000
  while (!holds()) {
    if (performance.now() > end) throw new Error(`never came true: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Asks again and again, under the same client id, as a careful caller does. */
export const mint = async (node: Node, value: number): Promise<void> => {
  const end = performance.now() + 30_000
  for (;;) {
    const outcome = await codeOf(node.run(MintCoin, { value }, { clientId: `coin ${value}` }))
    if (outcome === 'fulfilled') return
    expect(outcome).to.be.oneOf(['log-unreachable', 'disk-full'])
    if (performance.now() > end) throw new Error('the log never came back')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export const values = async (node: Node): Promise<readonly number[]> =>
  (await node.states(Coin)).map(({ data }) => data.value)
