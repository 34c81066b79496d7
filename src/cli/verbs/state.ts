/**
 * `carillon state`: one state, whole, and the transactions around it on the ledger.
 */
import { Option, type Command } from 'commander'
import { GraphC, VaultEntryC, type Graph } from '../../http/answers.js'
import { showRef } from '../../ledger/StateRef.js'
import { statePath } from '../named.js'
import { NodeApi } from '../NodeApi.js'
import { type Fact, printJson, printNote, printRecord, printTable } from '../print.js'
import type { PrintedColumn } from '../table.js'
import { printable, type Terminal } from '../Terminal.js'
import { apiVerb, placeHint, verbGroup, wholeNumber, type ApiOptions } from '../verb.js'
import { shortRef, showInstant, showSecond } from '../words.js'

const show = (terminal: Terminal): Command =>
  apiVerb('show', 'show one state, consumed or not', ['state show 3fa9c1:0'])
    .argument('<ref>', 'a state ref, or its first digits')
    .action(async (text: string, { json, ...place }: ApiOptions) => {
      const state = await NodeApi.at(place).get(statePath(text), {}, VaultEntryC)
      if (printJson(terminal, json, state)) return
      const facts: readonly Fact[] = [
        ['version', String(state.version)],
        ['key', state.key],
        ['recorded', `${showInstant(state.recordedAt)}, revision ${state.fromRevision}`],
        [
          'consumed',
          state.consumedBy === undefined || state.consumedAt === undefined
            ? 'no'
            : `${showInstant(state.consumedAt)} by ${state.consumedBy}`,
        ],
        ['relevant', state.relevant ? 'yes' : 'no: it is kept for others'],
        ['taken part', state.participants.length === 0 ? undefined : state.participants.join(' ')],
      ]
      printRecord(terminal, `${state.type} ${showRef(state.ref)}`, facts)
      terminal.out('')
      for (const line of JSON.stringify(state.data, null, 2).split('\n')) terminal.out(`  ${printable(line)}`)
      printNote(terminal, `See: carillon why ${shortRef(state.ref)}${placeHint(place)}`)
    })

/** The states of a graph by what they are to each transaction. */
const columnsOf = ({ states }: Graph): readonly PrintedColumn<Graph['transactions'][number]>[] => {
  const named = (chosen: Graph['states']): string =>
    chosen.map(({ ref, type }) => `${type} ${shortRef(ref)}`).join(', ')
  return [
    { header: 'TRANSACTION', cell: ({ id }) => id.slice(0, 12), tone: () => 'cyan' },
    { header: 'AT', cell: ({ at }) => showSecond(at) },
    { header: 'COMMANDS', cell: ({ commands }) => commands.join(', '), flexible: true },
    {
      header: 'CONSUMED',
      cell: ({ id }) => named(states.filter(({ consumedBy }) => consumedBy === id)),
      flexible: true,
    },
    {
      header: 'PRODUCED',
      cell: ({ id }) => named(states.filter(({ ref }) => ref.transaction === id)),
      flexible: true,
    },
  ]
}

const graph = (terminal: Terminal): Command =>
  apiVerb('graph', 'list the transactions that led to a state and those that followed it, oldest first', [
    'state graph 3fa9c1:0',
    'state graph 3fa9c1:0 --depth 4',
  ])
    .argument('<ref>', 'a state ref, or its first digits')
    .addOption(new Option('--depth <n>', 'how many transactions away, at most 6').argParser(wholeNumber(0)).default(2))
    .action(async (text: string, { json, depth, ...place }: ApiOptions & { readonly depth: number }) => {
      const found = await NodeApi.at(place).get(`${statePath(text)}/graph`, { depth }, GraphC)
      if (printJson(terminal, json, found)) return
      printTable(
        terminal,
        columnsOf(found),
        [...found.transactions].sort((a, b) => a.revision - b.revision),
      )
      if (found.partial) printNote(terminal, 'There is more of it: add --depth.')
    })

export const stateVerb = (terminal: Terminal): Command =>
  verbGroup('state', 'show one state, and the transactions around it', [show(terminal), graph(terminal)])
