import { expect } from 'chai'
import { Command } from 'commander'
import { CarillonError } from '../errors/CarillonError.js'
import type { Terminal } from './Terminal.js'
import { watching, watchOption } from './watching.js'

const paper = (): { readonly terminal: Terminal; readonly drawn: string[]; readonly written: string[] } => {
  const drawn: string[] = []
  const written: string[] = []
  const write = (line: string): void => {
    written.push(line)
  }
  return {
    drawn,
    written,
    terminal: {
      out: write,
      err: write,
      status: () => undefined,
      fault: () => undefined,
      redraw: (lines) => {
        drawn.push(lines.join('\n'))
      },
      width: 80,
      tone: (_tone, text) => text,
    },
  }
}

describe('a verb with --watch', () => {
  const verb = (terminal: Terminal, look: () => string, stopped = new AbortController().signal): Command =>
    new Command('look').addOption(watchOption()).action(
      watching(
        terminal,
        (screen) => () => {
          screen.out(look())
        },
        () => stopped,
      ),
    )

  it('looks once without it', async () => {
    const { terminal, drawn, written } = paper()
    await verb(terminal, () => 'all is well').parseAsync([], { from: 'user' })
    expect({ drawn, written }).to.deep.equal({ drawn: [], written: ['all is well'] })
  })

  it('looks again until it is stopped, and draws only what is new', async () => {
    const { terminal, drawn, written } = paper()
    const stopping = new AbortController()
    let looks = 0
    const look = (): string => {
      looks += 1
      if (looks === 2) stopping.abort()
      return looks === 2 ? 'it rains' : 'the sun shines'
    }
    await verb(terminal, look, stopping.signal).parseAsync(['--watch', '1'], { from: 'user' })
    expect({ drawn, written }).to.deep.equal({ drawn: ['the sun shines', 'it rains'], written: [] })
  })

  it('waits for a node that goes away, says so once, and goes on when it is back', async () => {
    const { terminal, drawn, written } = paper()
    const stopping = new AbortController()
    const away = (): never => {
      throw new CarillonError('node-not-running', 'No node runs here.')
    }
    const looks = [() => 'the sun shines', away, away, () => 'it rains']
    const look = (): string => {
      const next = looks.shift() ?? away
      if (looks.length === 0) stopping.abort()
      return next()
    }
    await verb(terminal, look, stopping.signal).parseAsync(['--watch', '1'], { from: 'user' })
    expect(drawn).to.deep.equal(['the sun shines', 'it rains'])
    expect(written).to.deep.equal(['The node went away. Looking for it again; Ctrl-C ends this.'])
  })

  it('ends with an error when there is no node at the first look, or something else is wrong', async () => {
    const refusal = async (...looks: readonly (() => string)[]): Promise<unknown> => {
      const rest = [...looks]
      const look = (): string => (rest.shift() ?? looks.at(-1)!)()
      return verb(paper().terminal, look)
        .parseAsync(['--watch', '1'], { from: 'user' })
        .catch((error: unknown) => error)
    }
    const failing = (code: 'node-not-running' | 'state-unknown') => (): never => {
      throw new CarillonError(code, 'It is not there.')
    }
    expect(await refusal(failing('node-not-running'))).to.have.property('code', 'node-not-running')
    expect(await refusal(() => 'all is well', failing('state-unknown'))).to.have.property('code', 'state-unknown')
  })

  it('refuses a pace that is none', async () => {
    const { terminal } = paper()
    const command = verb(terminal, () => '')
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
    const refused: unknown = await command
      .parseAsync(['--watch', '0'], { from: 'user' })
      .catch((error: unknown) => error)
    expect(refused).to.have.property('message').that.contains('whole number from 1')
  })
})
