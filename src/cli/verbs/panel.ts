/**
 * `carillon panel`: the pages that the running app contributes to the dashboard, as text, and their actions.
 */
import { Option, type Command } from 'commander'
import type * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { ActionDoneC, PanelContentC, PanelSummaryC } from '../../http/Panel.js'
import { NodeApi } from '../NodeApi.js'
import { listVerb } from '../pages.js'
import { panelLines } from '../panelLines.js'
import { readJsonText } from '../readJsonText.js'
import type { PrintedColumn } from '../table.js'
import { printable, type Terminal } from '../Terminal.js'
import { apiVerb, verbGroup, type ApiOptions } from '../verb.js'
import { watching, watchOption } from '../watching.js'
import { printJson } from '../print.js'

type Summary = t.TypeOf<typeof PanelSummaryC>

const columns: readonly PrintedColumn<Summary>[] = [
  { header: 'PANEL', cell: ({ name }) => name, tone: () => 'cyan' },
  { header: 'TITLE', cell: ({ title }) => title },
  { header: 'ACTIONS', cell: ({ actions }) => actions.map(({ name }) => name).join(', '), flexible: true },
  { header: 'SUMMARY', cell: ({ summary }) => summary, flexible: true },
]

const list = (terminal: Terminal): Command =>
  listVerb(terminal, ['list', 'list the panels of the running app', ['panel list']], {
    path: '/panels',
    item: PanelSummaryC,
    columns: () => columns,
    empty: 'The app of this node has no panels.',
    isWhole: true,
  })

const show = (real: Terminal): Command =>
  apiVerb('show', 'show what a panel shows now', ['panel show chores', 'panel show chores --watch'])
    .argument('<panel>', 'its name, from "carillon panel list"')
    .addOption(watchOption())
    .action(
      watching(real, (terminal) => async (name: string, { json, ...place }: ApiOptions) => {
        const content = await NodeApi.at(place).get(`/panels/${encodeURIComponent(name)}`, {}, PanelContentC)
        if (!printJson(terminal, json, content))
          for (const line of panelLines(content.blocks, terminal)) terminal.out(line)
      }),
    )

type ActOptions = ApiOptions & { readonly row?: string; readonly input?: string }

const act = (terminal: Terminal): Command =>
  apiVerb('act', 'take an action on a panel', [
    'panel act chores start --row archive-proposals',
    `panel act bells hang --input '{"name":"Marie"}'`,
  ])
    .argument('<panel>', 'its name, from "carillon panel list"')
    .argument('<action>', 'its name, from "carillon panel list"')
    .addOption(new Option('--row <key>', 'the row or the lamp it is about, by its key'))
    .addOption(new Option('--input <json>', 'what a person would fill in, by field; - reads it from stdin'))
    .action(async (panel: string, action: string, { json, row, input, ...place }: ActOptions) => {
      const fields = input === undefined ? undefined : readJsonText(input, '--input')
      if (fields !== undefined && (fields === null || typeof fields !== 'object' || Array.isArray(fields)))
        throw new CarillonError(
          'usage',
          `--input takes an object with a member for each field, as in '{"name":"Marie"}'.`,
        )
      const done = await NodeApi.at(place).post(
        `/panels/${encodeURIComponent(panel)}/actions/${encodeURIComponent(action)}`,
        { ...(row === undefined ? {} : { row }), ...(fields === undefined ? {} : { input: fields }) },
        ActionDoneC,
      )
      if (!printJson(terminal, json, done)) terminal.out(printable(done.message ?? 'Done.'))
    })

export const panelVerb = (terminal: Terminal): Command =>
  verbGroup('panel', 'show the panels of the running app, and take their actions', [
    list(terminal),
    show(terminal),
    act(terminal),
  ])
