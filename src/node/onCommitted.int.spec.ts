import { expect } from 'chai'
import { defineApp, startNode } from 'carillon'

describe('onCommitted', () => {
  it('hears every event of a node, from its start to its stop', async () => {
    const heard: string[] = []
    const node = await startNode({
      app: defineApp({ name: 'quiet', states: [], flows: [] }),
      onCommitted: ({ events }) => heard.push(...events.map(({ type }) => type)),
    })
    await node.stop()
    expect(heard).to.deep.equal(['NodeStarted', 'NodeStopped'])
  })
})
