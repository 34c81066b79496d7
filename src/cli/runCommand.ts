/**
 * One command line, from its words to its exit code: 0 when all went well, 1 for a typed error, 2 when it was not
 * understood, 3 for a flow that has refused. Results go to the terminal's stdout, everything else to its stderr.
 */
import { CommanderError, type Command } from 'commander'
import { CarillonError } from '../errors/CarillonError.js'
import { addAppVerbs, nodePlaceIn, unknownVerbHint } from './appVerbs.js'
import { ExitCode } from './ExitCode.js'
import { makeProgram } from './program.js'
import { reportError } from './reportError.js'
import type { Terminal } from './Terminal.js'
import { isVerbName, type VerbName } from './verbNames.js'

/** Longer lines are hard to read, and a pipe has no width of its own. */
const widestHelp = 100

/** Commander's settings are not inherited by commands made elsewhere. */
const settle = (command: Command, terminal: Terminal): void => {
  // The arguments of a verb stand in its own help; in a list they would leave no room for what it does.
  command.configureHelp({ subcommandTerm: (verb) => verb.name() })
  command.exitOverride().configureOutput({
    writeOut: (text) => terminal.out(text.replace(/\n$/, '')),
    writeErr: (text) => terminal.err(text.replace(/\n$/, '')),
    getOutHelpWidth: () => Math.min(terminal.width, widestHelp),
    getErrHelpWidth: () => Math.min(terminal.width, widestHelp),
    // Reported once, below, in the same form as every other error.
    outputError: () => undefined,
  })
  command.commands.forEach((each) => settle(each, terminal))
}

/** The help that belongs to a command line that went wrong. */
const helpFor = (program: Command, words: readonly string[]): string => {
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

/** Completion lists all verbs, and so does the help; every other verb is alone with itself. */
const aloneWith = (word: string | undefined): VerbName | undefined =>
  isVerbName(word) && word !== 'completion' ? word : undefined

export const runCommand = async (words: readonly string[], given: Terminal): Promise<number> => {
  const json = words.includes('--json')
  let isAnswered = false
  const out = (text: string): void => {
    isAnswered = true
    given.out(text)
  }
  // Whoever asks for JSON is a program, and has no use for a line that is drawn over.
  const terminal = json ? { ...given, out, status: () => undefined } : given
  const [first] = words
  const program = await makeProgram(terminal, aloneWith(first))
  const mayBeOfAnApp = first !== undefined && !first.startsWith('-') && !isVerbName(first)
  const place = nodePlaceIn(words, process.env)
  let isListening = false
  let code = 0
  try {
    if (mayBeOfAnApp) isListening = await addAppVerbs(program, terminal, place)
    settle(program, terminal)
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof ExitCode) return error.exitCode
    const isUsage = error instanceof CommanderError
    if (isUsage && error.exitCode === 0) return 0
    if (!isUsage) reportError(terminal, error, json && !isAnswered)
    // Where a verb is missing, commander has shown the help already.
    else if (error.code !== 'commander.help') {
      const hint = mayBeOfAnApp ? unknownVerbHint(place, isListening) : `Try: ${helpFor(program, words)}`
      reportError(terminal, new CarillonError('usage', `${sentence(error.message)} ${hint}`), json && !isAnswered)
    }
    code = isUsage || (error instanceof CarillonError && error.code === 'usage') ? 2 : 1
  }
  return code
}
