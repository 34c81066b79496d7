/** The command within this process, on a store that a virtual node writes: what it would print, without a shell. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { App } from '../../src/index.js'
import { makeProgram } from '../../src/cli/program.js'
import type { Terminal } from '../../src/cli/Terminal.js'
import { EmbeddedStore } from '../../src/storage/EmbeddedStore.js'
import { storeFiles } from '../../src/folder/StoreFolder.js'
import { VirtualNode } from '../../src/testing/index.js'

/** What a command has written, line by line; `err` is about the result, `out` is the result. */
export type Said = { readonly out: string[]; readonly err: string[] }

const throwing = (command: Command): void => {
  command.exitOverride().configureOutput({ writeErr: () => undefined })
  for (const each of command.commands) throwing(each)
}

/** Asks the command; rejects with what it ends with. What is said so far can be read while it goes on. */
export const ask = async (args: readonly string[], said: Said = { out: [], err: [] }): Promise<Said> => {
  const terminal: Terminal = {
    out: (line) => said.out.push(line),
    err: (line) => said.err.push(line),
    status: () => undefined,
    redraw: () => undefined,
    fault: () => undefined,
    width: Number.POSITIVE_INFINITY,
    tone: (_, text) => text,
  }
  const program = await makeProgram(terminal)
  throwing(program)
  await program.parseAsync(args, { from: 'user' })
  return said
}

export type Kept = {
  readonly virtual: VirtualNode
  readonly folder: string
  readonly remove: () => Promise<void>
}

/** A virtual node whose store lies in a folder, as a real one's does. */
export const keptInFolder = async (app: App): Promise<Kept> => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-cli-'))
  const store = EmbeddedStore.open(storeFiles(folder).database)
  const virtual = await VirtualNode.start({ app, store })
  return {
    virtual,
    folder,
    remove: async () => {
      await virtual.stop()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
