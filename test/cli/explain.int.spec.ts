import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { CarillonError } from '../../src/index.js'
import { catalogue } from '../../src/errors/catalogue.js'
import { reportError } from '../../src/cli/reportError.js'
import { inProcess } from './spawnCarillon.js'

const page = (code: string): string =>
  readFileSync(new URL(`../../docs/errors/${code}.md`, import.meta.url), 'utf8').trimEnd()

/** What an error is told with, without a shell. */
const told = (error: unknown): string => {
  const lines: string[] = []
  reportError(
    {
      out: () => undefined,
      err: (line) => lines.push(line),
      status: () => undefined,
      redraw: () => undefined,
      fault: () => undefined,
      width: 80,
      tone: (_, text) => text,
    },
    error,
  )
  return lines.join('\n')
}

describe('carillon explain', () => {
  it('shows the page of every code: what happened, why, what to do, what follows, and how it reads', async () => {
    for (const [code, { title, consequence }] of Object.entries(catalogue)) {
      const { code: exit, stdout, stderr } = await inProcess(['explain', code])
      expect(exit, code).to.equal(0)
      expect(stderr, code).to.equal('')
      expect(stdout, code)
        .to.match(new RegExp(`^${code}\n`))
        .and.to.contain(`\n${title}.\n`)
      expect(stdout, code).to.match(/\nWhy\n\n- .*\nWhat to do\n\n.*\nConsequence\n\n/s)
      expect(stdout, code).to.contain(`\n\`${consequence}\`: `)
      expect(stdout, `${code}: no Markdown is left`).not.to.match(/^```|^#|\]\(/m)
    }
  })

  it('gives a program the code, its title, its consequence and the page as it was written', async () => {
    const { stdout } = await inProcess(['explain', 'flow-parked', '--json'])
    expect(JSON.parse(stdout)).to.deep.equal({
      code: 'flow-parked',
      ...catalogue['flow-parked'],
      text: `${page('flow-parked')}\n`,
    })
  })

  it('lists all codes when none is given, in the order of the catalogue', async () => {
    const { stdout } = await inProcess(['explain', '--json'])
    const listed = stdout.trimEnd().split('\n')
    expect(listed.map((line) => (JSON.parse(line) as { code: string }).code)).to.deep.equal(Object.keys(catalogue))
  })

  it('takes a code with what stood around it', async () => {
    expect((await inProcess(['explain', 'error[flow-parked]:'])).stdout).to.match(/^flow-parked\n/)
  })

  for (const [given, said] of [
    ['flow-parkd', 'There is no error code flow-parkd. Did you mean flow-parked?'],
    ['parked', 'flow-parked'],
    ['zzzzzz', 'There is no error code zzzzzz. All codes: carillon explain'],
    ['shop/negative', 'shop/negative is a code of the app that threw it, and so is what it means.'],
  ] as const)
    it(`says of ${given} what may have been meant, and ends with code 2`, async () => {
      const { code, stdout, stderr } = await inProcess(['explain', given])
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' })
      expect(stderr)
        .to.match(/^error\[usage\]: /)
        .and.to.contain(said)
    })

  it('is what an error of the command names, and nothing when the code is the app’s own', () => {
    expect(told(new CarillonError('flow-unknown', 'No.'))).to.equal(
      'error[flow-unknown]: No.\nWhat to do: carillon explain flow-unknown',
    )
    expect(told(new CarillonError('shop/negative', 'No.'))).to.equal('error[shop/negative]: No.')
  })
})
