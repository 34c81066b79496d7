/**
 * `carillon why`: why a state's activity has run, has not run, or will run.
 */
import type { Command } from 'commander'
import { CarillonError } from '../../errors/CarillonError.js'
import { showRef } from '../../ledger/StateRef.js'
import { readStore } from '../../folder/readStore.js'
import { explainState } from '../../storage/queries/explainState.js'
import { resolveRef } from '../../storage/queries/resolveRef.js'
import { printable, type Terminal } from '../Terminal.js'
import { verb, type StoreOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { printJson } from '../print.js'

export const why = (real: Terminal): Command =>
  verb('why', "explain why a state's activity has run, has not run, or will run", ['why 3fa9c1:0', 'why 3fa9c1 --json'])
    .argument('<ref>', 'a state ref, or its first digits')
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => (text: string, { store, json }: StoreOptions) => {
        const explained = readStore(store, (db) => {
          const ref = resolveRef(db, text)
          const found = explainState(db, ref)
          if (found === undefined)
            throw new CarillonError('state-unknown', `This store holds no state ${showRef(ref)}.`, {
              ref: showRef(ref),
            })
          return found
        })
        if (printJson(terminal, json, explained)) return
        const { state, ref, story, now } = explained
        terminal.out(terminal.tone('bold', printable(`${state.type} ${showRef(ref)}`)))
        terminal.out(terminal.tone('dim', printable(JSON.stringify(state.data))))
        terminal.out('')
        for (const sentence of story) terminal.out(`  ${printable(sentence)}`)
        terminal.out('')
        terminal.out(terminal.tone('bold', printable(now)))
      }),
    )
