import { expect } from 'chai'
import { crossBridge } from '../bridge.js'
import { tellStory } from '../story.js'

const told = async (tell: (say: (line: string) => void) => Promise<void>): Promise<string> => {
  const lines: string[] = []
  await tell((line) => lines.push(line))
  return lines.join('\n')
}

describe('the stories of the sample', () => {
  it('tell how Carol’s signature executes what Alice scheduled, in two records a nanosecond apart', async () => {
    const story = await told(tellStory)
    expect(story).to.include(
      'never has more than 180,000 of them\npending; with those that chose a later second there are 10,000,000',
    )
    const [, x = '', created = ''] = /X {2}id (\S+), consensus time (\S+), SUCCESS; the receipt/.exec(story) ?? []
    const [, trigger = ''] = /U {2}id \S+, consensus time (\S+), SUCCESS/.exec(story) ?? []
    const [, inherited = '', executed = ''] =
      /X {2}id (\S+)\?scheduled, consensus time (\S+), SUCCESS, schedule/.exec(story) ?? []
    expect(inherited).to.equal(x)
    const nanosOf = (time: string): bigint => BigInt(time.replace('.', ''))
    expect(nanosOf(executed) - nanosOf(trigger)).to.equal(1n)
    expect(nanosOf(executed) > nanosOf(created)).to.equal(true)
    expect(story).to.include('Get info now answers SCHEDULE_DELETED')
    expect(story).to.include('sent again: SOME_SIGNATURES_WERE_INVALID')
  })

  it('tell how three of five validators release each deposit once, one of them offline for a day', async () => {
    const story = await told(crossBridge)
    expect(story.match(/, executed/g)).to.have.length(2)
    expect(story).to.match(/V5: deposit 1772442060 → SOME_SIGNATURES_WERE_INVALID\n/)
    expect(story).to.include('Dora has 1000: each deposit was released once')
  })
})
