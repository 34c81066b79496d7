#!/usr/bin/env node
/**
 * The `carillon` command. Exit code 0 when all went well, 1 for a typed error, 2 when the command line was not
 * understood; results on stdout, everything else on stderr.
 */
import { CommanderError, type Command } from 'commander'
import { CarillonError } from '../errors/CarillonError.js'
import type { ControlClient } from '../node/ControlClient.js'
import { addAppVerbs, storeIn, unknownVerbHint } from './appVerbs.js'
import { makeProgram } from './program.js'
import { reportError } from './reportError.js'
import { processTerminal } from './Terminal.js'

const terminal = processTerminal(process)

const program = makeProgram(terminal)

const words = process.argv.slice(2)
const store = storeIn(words, process.env)
const isOwn = (word: string | undefined): boolean =>
  word === undefined || word.startsWith('-') || program.commands.some((command) => command.name() === word)

/** Commander's settings are not inherited by commands made elsewhere. */
const settle = (command: Command): void => {
  command.exitOverride().configureOutput({
    // Reported once, below, in the same form as every other error.
    outputError: () => undefined,
  })
  command.commands.forEach(settle)
}

let node: ControlClient | undefined

// A reader that has seen enough, such as \`head\`, closes the pipe; there is nobody left to write to.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
})

/** The help that belongs to a command line that went wrong. */
const helpFor = (words: readonly string[]): string => {
  let command = program
  for (const word of words) {
    const next = command.commands.find((candidate) => candidate.name() === word)
    if (next === undefined) break
    command = next
  }
  const names: string[] = []
  for (let here: Command | null = command; here !== null; here = here.parent) names.unshift(here.name())
  return `${names.join(' ')} --help`
}

/** Commander's own words, as one sentence. */
const sentence = (message: string): string =>
  `${message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/\.$/, '')}.`

try {
  if (!isOwn(words[0])) node = await addAppVerbs(program, terminal, store)
  settle(program)
  await program.parseAsync()
} catch (error) {
  const asked = error instanceof CommanderError
  if (!asked || error.exitCode !== 0) {
    const hint = asked && !isOwn(words[0]) ? ` ${unknownVerbHint(store, node !== undefined)}` : ''
    const known = asked
      ? error.code === 'commander.help'
        ? undefined
        : new CarillonError('usage', `${sentence(error.message)}${hint || ` Try: ${helpFor(words)}`}`)
      : error
    if (known !== undefined) reportError(terminal, known)
    const usage = asked || (error instanceof CarillonError && error.code === 'usage')
    // At once, because an app that was loaded may hold the process with timers of its own.
    process.exit(usage ? 2 : 1)
  }
} finally {
  node?.close()
}
