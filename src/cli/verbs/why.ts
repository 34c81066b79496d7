/**
 * `carillon why`: why a state's activity has run, has not run, or will run.
 */
import type { Command } from 'commander'
import { WhyC } from '../../http/answers.js'
import { showRef } from '../../ledger/StateRef.js'
import { statePath } from '../named.js'
import { NodeApi } from '../NodeApi.js'
import { printJson, printTrace } from '../print.js'
import { printable, type Terminal } from '../Terminal.js'
import { apiVerb, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'

export const whyVerb = (real: Terminal): Command =>
  apiVerb('why', "explain why a state's activity has run, has not run, or will run", [
    'why 3fa9c1:0',
    'why 3fa9c1 --json',
  ])
    .argument('<ref>', 'a state ref, or its first digits')
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async (text: string, { json, ...place }: ApiOptions) => {
        const explained = await NodeApi.at(place).get(`${statePath(text)}/why`, {}, WhyC)
        if (printJson(terminal, json, explained)) return
        const { state, ref, story, now, error } = explained
        terminal.out(terminal.tone('bold', printable(`${state.type} ${showRef(ref)}`)))
        terminal.out(terminal.tone('dim', printable(JSON.stringify(state.data))))
        terminal.out('')
        for (const sentence of story) terminal.out(`  ${printable(sentence)}`)
        terminal.out('')
        terminal.out(terminal.tone('bold', printable(now)))
        printTrace(terminal, error)
      }),
    )
