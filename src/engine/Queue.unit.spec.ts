import { expect } from 'chai'
import * as fc from 'fast-check'
import { Queue } from './Queue.js'

describe('A queue', () => {
  it('behaves like a plain list, whatever is done to it', () => {
    const act = fc.oneof(
      fc.record({ do: fc.constant('push' as const), n: fc.nat() }),
      fc.record({ do: fc.constant('take' as const) }),
      fc.record({ do: fc.constant('putBack' as const), ns: fc.array(fc.nat(), { maxLength: 3 }) }),
      fc.record({ do: fc.constant('drain' as const) }),
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const queue = new Queue<number>()
        const list: number[] = []
        for (const what of acts) {
          if (what.do === 'push') {
            queue.push(what.n)
            list.push(what.n)
          } else if (what.do === 'take') expect(queue.take()).to.equal(list.shift())
          else if (what.do === 'putBack') {
            queue.putBack(what.ns)
            list.unshift(...what.ns)
          } else expect(queue.drain()).to.deep.equal(list.splice(0))
          expect(queue.length).to.equal(list.length)
        }
      }),
    )
  })
})
