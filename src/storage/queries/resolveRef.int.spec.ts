import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp } from '../../app/App.js'
import { CarillonError } from '../../errors/CarillonError.js'
import { defineFlow, type FlowBody } from '../../app/FlowDefinition.js'
import { PartyC } from '../../identity/Party.js'
import { defineCommand } from '../../ledger/Command.js'
import { defineState } from '../../ledger/StateDefinition.js'
import { showRef } from '../../ledger/StateRef.js'
import { VirtualNode } from '../../testing/VirtualNode.js'
import { resolveRef } from './resolveRef.js'
import { tickStoreOf } from '../OpenStore.js'

const Make = defineCommand({ type: 'refs/Make' })
const Thing = defineState({
  type: 'refs/Thing',
  data: t.strict({ owner: PartyC }),
  participants: ({ owner }) => [owner],
})
const MakeThings = defineFlow({
  name: 'refs/MakeThings',
  input: t.strict({ outputs: t.readonlyArray(t.number) }),
  *run(io, { outputs }): FlowBody<readonly string[]> {
    const ids: string[] = []
    for (const count of outputs) {
      const { id } = yield* io.finalise((transaction) => {
        for (let made = 0; made < count; made++) transaction.produce(Thing, { owner: io.me })
        return transaction.command(Make, [io.me])
      })
      ids.push(id)
    }
    return ids
  },
})
const app = defineApp({ name: 'refs', states: [Thing], flows: [MakeThings] })

describe('resolveRef', () => {
  it('finds each state by the fewest digits that tell it apart, and refuses fewer', async () => {
    const virtual = await VirtualNode.start({ app })
    // With 300 transactions some pairs share their first four digits, or at least the search must rule it out.
    const ids = await virtual.node.run(MakeThings, { outputs: Array.from({ length: 300 }, () => 1) })
    const { reader } = tickStoreOf(virtual.store)
    for (const id of ids) {
      const shared = (digits: number) => ids.filter((other) => other.startsWith(id.slice(0, digits))).length
      let digits = 4
      while (shared(digits) > 1) {
        const tooFew = id.slice(0, digits)
        expect(() => resolveRef(reader, tooFew)).to.throw(CarillonError, 'More than one')
        digits += 1
      }
      expect(showRef(resolveRef(reader, id.slice(0, digits)))).to.equal(`${id}:0`)
      expect(showRef(resolveRef(reader, `${id.toUpperCase()}:0`))).to.equal(`${id}:0`)
    }
    await virtual.stop()
  })

  it('asks which output is meant, and knows which there are', async () => {
    const virtual = await VirtualNode.start({ app })
    const [id = ''] = await virtual.node.run(MakeThings, { outputs: [3] })
    const { reader } = tickStoreOf(virtual.store)
    expect(showRef(resolveRef(reader, `${id.slice(0, 8)}:2`))).to.equal(`${id}:2`)
    expect(() => resolveRef(reader, id.slice(0, 8))).to.throw(CarillonError, '3 outputs')
    expect(() => resolveRef(reader, `${id}:3`)).to.throw(CarillonError, 'there is no :3')
    for (const odd of ['', 'abc', 'xyzw', `${id}0`, `${id}:-1`, 'abcd%'])
      expect(() => resolveRef(reader, odd), odd).to.throw(CarillonError, 'is not a state ref')
    await virtual.stop()
  })

  it('finds those in the sorted keys as well as those not merged yet', async () => {
    const virtual = await VirtualNode.start({ app })
    const ids = await virtual.node.run(MakeThings, { outputs: [1, 1, 1] })
    const { reader } = tickStoreOf(virtual.store)
    const sorted = ids.slice(0, 2)
    sorted.forEach((id, index) => {
      reader
        .prepare('INSERT INTO transactions_keys (prefix, seq) VALUES (?, ?)')
        .run(Number.parseInt(id.slice(0, 12), 16), index + 1)
    })
    reader.exec('INSERT INTO transactions_keys_until (one, seq) VALUES (1, 2)')
    for (const id of ids) {
      expect(showRef(resolveRef(reader, id.slice(0, 16)))).to.equal(`${id}:0`)
      expect(showRef(resolveRef(reader, id))).to.equal(`${id}:0`)
    }
    await virtual.crash()
  })
})
