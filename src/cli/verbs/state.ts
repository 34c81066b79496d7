/**
 * `carillon state`: one state, whole, and the transactions around it on the ledger.
 */
import { Option, type Command } from 'commander'
import { CarillonError } from '../../errors/CarillonError.js'
import { readGraph, type Graph } from '../../http/questions/readGraph.js'
import { showRef } from '../../ledger/StateRef.js'
import { openStoreLog, readStore } from '../../folder/readStore.js'
import { findState } from '../../storage/queries/readVault.js'
import { resolveRef } from '../../storage/queries/resolveRef.js'
import { printable, type Terminal } from '../Terminal.js'
import { storeHint, verb, verbGroup, wholeNumber, type StoreOptions } from '../verb.js'
import { shortRef, showInstant, showSecond } from '../words.js'
import { factLines, printJson, type Fact } from '../print.js'

const show = (terminal: Terminal): Command =>
  verb('show', 'show one state, consumed or not', ['state show 3fa9c1:0'])
    .argument('<ref>', 'a state ref, or its first digits')
    .action((text: string, { store, json }: StoreOptions) => {
      const state = readStore(store, (db) => {
        const ref = resolveRef(db, text)
        const found = findState(db, ref)
        if (found === undefined)
          throw new CarillonError('state-unknown', `This store holds no state ${showRef(ref)}.`, { ref: showRef(ref) })
        return found
      })
      if (printJson(terminal, json, state)) return
      terminal.out(terminal.tone('bold', printable(`${state.type} ${showRef(state.ref)}`)))
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
      for (const line of factLines(terminal, facts, { width: 10, indent: '  ' })) terminal.out(line)
      terminal.out('')
      for (const line of JSON.stringify(state.data, null, 2).split('\n')) terminal.out(`  ${printable(line)}`)
      terminal.err(terminal.tone('dim', `See: carillon why ${shortRef(state.ref)}${storeHint(store)}`))
    })

/** Oldest first, each transaction with what it consumed and what it produced. */
const linesOf = ({ transactions, states }: Graph, wanted: string, terminal: Terminal): readonly string[] =>
  [...transactions]
    .sort((a, b) => a.revision - b.revision)
    .flatMap(({ id, at, commands }) => {
      const name = (ref: string, type: string, arrow: string, note: string): string => {
        const text = printable(`${arrow} ${type} ${note}`)
        return `    ${ref === wanted ? terminal.tone('bold', text) : text}`.trimEnd()
      }
      return [
        `${terminal.tone('cyan', id.slice(0, 12))}  ${showSecond(at)}  ${printable(commands.join(', '))}`,
        ...states
          .filter(({ consumedBy }) => consumedBy === id)
          .map(({ ref, type }) => name(showRef(ref), type, '<', shortRef(ref))),
        ...states
          .filter(({ ref }) => ref.transaction === id)
          .map(({ ref, type, consumed }) =>
            name(showRef(ref), type, '>', `${shortRef(ref)}${consumed ? '' : '  unconsumed'}`),
          ),
      ]
    })

const graph = (terminal: Terminal): Command =>
  verb('graph', 'show the transactions that led to a state and those that followed it', [
    'state graph 3fa9c1:0',
    'state graph 3fa9c1:0 --depth 4',
  ])
    .argument('<ref>', 'a state ref, or its first digits')
    .addOption(new Option('--depth <n>', 'how many transactions away, at most 6').argParser(wholeNumber(0)).default(2))
    .action(async (text: string, { store, json, depth }: StoreOptions & { readonly depth: number }) => {
      const ref = readStore(store, (db) => resolveRef(db, text))
      const log = openStoreLog(store)
      try {
        const found = await readGraph(
          { readViews: (read) => Promise.resolve(readStore(store, read)), readLog: (from) => log.read(from ?? 0) },
          ref,
          Math.min(depth, 6),
        )
        if (json === true) terminal.out(JSON.stringify(found))
        else for (const line of linesOf(found, showRef(ref), terminal)) terminal.out(line)
        if (found.partial && json !== true) terminal.err(terminal.tone('dim', 'There is more of it: add --depth.'))
      } finally {
        await log.close()
      }
    })

export const state = (terminal: Terminal): Command =>
  verbGroup('state', 'show one state, and the transactions around it', [show(terminal), graph(terminal)])
