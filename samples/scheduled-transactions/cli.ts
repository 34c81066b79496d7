/**
 * The wallet: npm run signatures --silent -- --help
 */
import { CommanderError } from 'commander'
import { instant } from 'carillon'
import { walletProgram } from './cli/walletProgram.js'

const host = {
  print: (text: string) => console.log(text),
  complain: (text: string) => void process.stderr.write(text),
  now: () => instant(new Date().toISOString()),
}

try {
  await walletProgram(host).parseAsync()
} catch (error) {
  // Commander has said what was wrong with the command line.
  if (!(error instanceof CommanderError)) console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1
}
