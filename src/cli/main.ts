#!/usr/bin/env node
/**
 * The `carillon` command as a process.
 */
import { runCommand } from './runCommand.js'
import { processTerminal } from './Terminal.js'

// A reader that has seen enough, such as `head`, closes the pipe; there is nobody left to write to.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
})

// Before an app is loaded: what it throws then names lines of its sources, also when it was compiled.
process.setSourceMapsEnabled(true)

const code = await runCommand(process.argv.slice(2), processTerminal(process))
// At once, because an app that was loaded may hold the process with timers of its own.
if (code !== 0) process.exit(code)
