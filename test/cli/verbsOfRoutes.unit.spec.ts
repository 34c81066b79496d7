import { expect } from 'chai'
import type { Command } from 'commander'
import { builtInRoutes } from '../../src/http/builtInRoutes.js'
import { makeProgram } from '../../src/cli/program.js'

const silent = {
  out: () => undefined,
  err: () => undefined,
  status: () => undefined,
  fault: () => undefined,
  redraw: () => undefined,
  width: 80,
  tone: (_tone: string, text: string) => text,
}

/** The command a chain of words leads to, and whether it knows the options among them. */
const leadsTo = (program: Command, words: readonly string[]): Command | undefined => {
  let here: Command = program
  for (const word of words) {
    if (word.startsWith('--')) {
      if (!here.options.some(({ long }) => long === word)) return undefined
      continue
    }
    const next = here.commands.find((command) => command.name() === word)
    if (next === undefined) return undefined
    here = next
  }
  return here.commands.length === 0 ? here : undefined
}

describe('every route of the API', () => {
  let program: Command
  before(async () => {
    program = await makeProgram(silent)
  })

  // Those that carry an app's own verbs have the verbs of the app.
  for (const { method, path, verbs } of builtInRoutes.filter(({ tag }) => tag !== 'app'))
    it(`${method} ${path} has a verb of its own on the command line`, () => {
      expect(verbs).not.to.be.empty
      for (const verb of verbs) {
        expect(verb, 'asking for a path is no verb of its own').not.to.match(/^api\b/)
        expect(leadsTo(program, verb.split(' ')), `carillon ${verb}`).not.to.be.undefined
      }
    })

  it('that acts in several ways has a verb for each', () => {
    for (const { path, verbs, params } of builtInRoutes) {
      const { action } = ((params ?? {}) as { readonly props?: Record<string, { readonly keys?: object }> }).props ?? {}
      if (action?.keys === undefined) continue
      expect(
        verbs.map((verb) => verb.split(' ').at(-1)),
        path,
      ).to.have.members(Object.keys(action.keys))
    }
  })
})
