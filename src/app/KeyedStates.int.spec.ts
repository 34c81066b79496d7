import { expect } from 'chai'
import * as t from 'io-ts'
import { defineApp } from './App.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { PartyC } from '../identity/Party.js'
import { defineCommand } from '../ledger/Command.js'
import { defineState } from '../ledger/StateDefinition.js'
import { VirtualNode } from '../testing/VirtualNode.js'
import { defineFlow, type FlowBody } from './FlowDefinition.js'
import { KeyedStates } from './KeyedStates.js'

const Counter = defineState({
  type: 'keyed/Counter',
  data: t.strict({ owner: PartyC, name: t.string, count: IntegerC }),
  participants: ({ owner }) => [owner],
  key: ({ name }) => name,
})
const Count = defineCommand({ type: 'keyed/Count' })

const Script = t.array(
  t.union([
    t.strict({ do: t.literal('put'), name: t.string, count: IntegerC }),
    t.strict({ do: t.literal('get'), name: t.string }),
    t.strict({ do: t.literal('take'), name: t.string }),
    t.strict({ do: t.literal('mark') }),
    t.strict({ do: t.literal('putBack') }),
  ]),
)

/** Does as it is told and gives what became of it: what was read, and what the transaction consists of. */
const Run = defineFlow({
  name: 'keyed/Run',
  input: t.strict({ script: Script }),
  *run(io, { script }): FlowBody<readonly string[]> {
    const counters = new KeyedStates(Counter)
    const told: string[] = []
    let putBack: () => void = () => undefined
    for (const step of script) {
      if (step.do === 'put') yield* counters.put(io, step.name, { owner: io.me, name: step.name, count: step.count })
      else if (step.do === 'mark') putBack = counters.mark()
      else if (step.do === 'putBack') putBack()
      else {
        const found = step.do === 'get' ? yield* counters.get(io, step.name) : yield* counters.take(io, step.name)
        told.push(`${step.name} ${found?.count ?? 'none'}`)
      }
    }
    told.push(`knows ${[...counters.known()].map(({ key }) => key).join(' ')}`.trim())
    if (!counters.hasChanged) return [...told, 'unchanged']
    yield* io.finalise((tx) => {
      counters.stage(tx)
      counters.refer(tx)
      told.push(`${tx.inputs.length} in, ${tx.outputs.length} out, ${tx.references.length} read`)
      return tx.command(Count, [io.me])
    })
    return told
  },
})

const app = defineApp({ name: 'keyed', states: [Counter], flows: [Run] })

describe('Keyed states', () => {
  const put = (name: string, count: number) => ({ do: 'put', name, count }) as const
  const get = (name: string) => ({ do: 'get', name }) as const
  const take = (name: string) => ({ do: 'take', name }) as const
  const mark = { do: 'mark' } as const
  const putBack = { do: 'putBack' } as const

  const start = async () => {
    const virtual = await VirtualNode.start({ app })
    const run = (...script: t.TypeOf<typeof Script>) => virtual.node.run(Run, { script })
    const held = async () =>
      (await virtual.node.states(Counter)).map(({ data: { name, count } }) => `${name} ${count}`).sort()
    return { run, held }
  }

  it('are read once, changed at will, and written in one transaction', async () => {
    const { run, held } = await start()
    expect(await run(get('a'), put('a', 1), put('b', 1), get('a'), put('a', 2))).to.deep.equal([
      'a none',
      'a 1',
      'knows a b',
      '0 in, 2 out, 0 read',
    ])
    expect(await held()).to.deep.equal(['a 2', 'b 1'])
    expect(await run(get('a'), put('b', 5), take('b'), get('b'))).to.deep.equal([
      'a 2',
      'b 5',
      'b none',
      'knows a b',
      '1 in, 0 out, 1 read',
    ])
    expect(await held()).to.deep.equal(['a 2'])
  })

  it('write nothing when nothing has changed in the end', async () => {
    const { run, held } = await start()
    expect(await run(put('a', 1), take('a'), get('b'))).to.deep.equal(['a 1', 'b none', 'knows a b', 'unchanged'])
    expect(await held()).to.deep.equal([])
  })

  it('stand again as they were marked, and forget what was read since', async () => {
    const { run, held } = await start()
    await run(put('a', 1), put('b', 1))
    const told = await run(put('a', 2), mark, put('a', 3), take('b'), put('c', 1), putBack, get('a'))
    expect(told).to.deep.equal(['b 1', 'a 2', 'knows a', '1 in, 1 out, 0 read'])
    expect(await held()).to.deep.equal(['a 2', 'b 1'])
  })
})
