import { expect } from 'chai'
import { processTerminal } from './Terminal.js'

type Stream = { readonly isTTY: boolean; readonly columns: number; readonly write: (text: string) => boolean }

/** A process whose streams are a terminal each, or a pipe. */
const terminalOf = (
  out: boolean,
  err: boolean,
  env: Readonly<Record<string, string>> = {},
): { readonly said: string[]; readonly terminal: ReturnType<typeof processTerminal> } => {
  const said: string[] = []
  const stream = (isTTY: boolean): Stream => ({ isTTY, columns: 80, write: (text) => said.push(text) > 0 })
  const process = { stdout: stream(out), stderr: stream(err), env } as unknown as NodeJS.Process
  return { said, terminal: processTerminal(process) }
}

describe('a terminal', () => {
  const red = '\u001b[31mno\u001b[39m'

  it('has colours where someone looks, on either stream', () => {
    const { said, terminal } = terminalOf(true, true)
    terminal.out(terminal.tone('red', 'no'))
    terminal.err(terminal.tone('red', 'no'))
    expect(said).to.deep.equal([`${red}\n`, `${red}\n`])
  })

  it('has none in what is piped, even if the other stream is looked at', () => {
    const { said, terminal } = terminalOf(true, false)
    terminal.out(terminal.tone('red', 'no'))
    terminal.err(terminal.tone('red', 'no'))
    expect(said).to.deep.equal([`${red}\n`, 'no\n'])
    const piped = terminalOf(false, true)
    piped.terminal.out(piped.terminal.tone('red', 'no'))
    expect(piped.said).to.deep.equal(['no\n'])
  })

  it('has none where they are not wanted', () => {
    const { said, terminal } = terminalOf(true, true, { NO_COLOR: '1' })
    terminal.err(terminal.tone('red', 'no'))
    expect(said).to.deep.equal(['no\n'])
  })
})
