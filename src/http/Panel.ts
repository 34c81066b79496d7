/**
 * A page of the dashboard that an app contributes: a function that reads the node and gives blocks of plain data, and
 * actions a person may take. The dashboard draws every panel alike; an app brings no markup and no script.
 */
import * as t from 'io-ts'
import { JsonC } from '../encoding/JsonC.js'
import { CarillonError } from '../errors/CarillonError.js'
import type { Json } from '../encoding/canonical.js'
import { InstantC } from '../time/Instant.js'
import { StateRefC } from '../ledger/StateRef.js'
import { FlowIdC } from '../log/FlowId.js'
import { PermissionC, type NeededPermission } from '../operator/Permission.js'
import type { Node } from '../node/Node.js'

const record = <P extends t.Props, Q extends t.Props>(props: P, optional: Q) =>
  t.readonly(t.intersection([t.strict(props), t.exact(t.partial(optional))]))

/** Green and blue are well, amber should be looked at, red needs an operator; grey is idle. */
export const ToneC = t.keyof({ green: null, blue: null, amber: null, red: null, grey: null }, 'Tone')
/** The colour of a lamp. */
export type Tone = t.TypeOf<typeof ToneC>

/** What stands in a cell: text, a number, an instant, a lamp, or a way to a state or a flow. */
export const CellC = t.union(
  [
    t.string,
    t.number,
    t.boolean,
    t.null,
    t.readonly(t.strict({ instant: InstantC })),
    record({ lamp: ToneC, text: t.string }, {}),
    record({ ref: StateRefC }, { text: t.string }),
    record({ flow: FlowIdC }, { text: t.string }),
    record({ share: t.number }, { text: t.string }),
  ],
  'Cell',
)
/** What stands in a cell of a panel. */
export type Cell = t.TypeOf<typeof CellC>

const ColumnC = record({ key: t.string, label: t.string }, { align: t.keyof({ left: null, right: null }) })
const RowC = record(
  { key: t.string, cells: t.readonly(t.record(t.string, CellC)) },
  { actions: t.readonlyArray(t.string) },
)

export const BlockC = t.union(
  [
    /** Rows of cells; `empty` is said when there are none. */
    record(
      { kind: t.literal('table'), columns: t.readonlyArray(ColumnC), rows: t.readonlyArray(RowC), empty: t.string },
      { title: t.string },
    ),
    /** Big lamps with a name, one for each thing that works by itself. */
    record(
      {
        kind: t.literal('lamps'),
        lamps: t.readonlyArray(
          record(
            { key: t.string, label: t.string, tone: ToneC, text: t.string },
            {
              detail: t.string,
              facts: t.readonlyArray(t.readonly(t.strict({ label: t.string, value: CellC }))),
              actions: t.readonlyArray(t.string),
            },
          ),
        ),
        empty: t.string,
      },
      { title: t.string },
    ),
    /** Points and spans along time, in lanes. */
    record(
      {
        kind: t.literal('timeline'),
        items: t.readonlyArray(
          record({ lane: t.string, at: InstantC, tone: ToneC, text: t.string }, { until: InstantC }),
        ),
        empty: t.string,
      },
      { title: t.string },
    ),
    /** Single facts, large. */
    record(
      { kind: t.literal('facts'), facts: t.readonlyArray(t.readonly(t.strict({ label: t.string, value: CellC }))) },
      { title: t.string },
    ),
    /** A series of numbers as bars, such as how full each slot is. */
    record(
      {
        kind: t.literal('bars'),
        bars: t.readonlyArray(record({ label: t.string, value: t.number, tone: ToneC }, { of: t.number })),
        empty: t.string,
      },
      { title: t.string },
    ),
  ],
  'Block',
)
/** A part of a panel. */
export type Block = t.TypeOf<typeof BlockC>

export const FieldC = record(
  { name: t.string, label: t.string, kind: t.keyof({ text: null, number: null, instant: null, choice: null }) },
  { choices: t.readonlyArray(t.string), default: t.union([t.string, t.number]), optional: t.boolean },
)
/** Something a person fills in before an action. */
export type Field = t.TypeOf<typeof FieldC>

/** What an action is told: the row it was taken on, what was filled in, and who acts. */
export type ActionAsked = {
  readonly node: Node
  readonly row: string | undefined
  readonly input: Readonly<Record<string, Json>>
  /** To be recorded with whatever the action does. */
  readonly by: string
  /** The id of the token that acts; absent for the local owner. Give it to `node.start` with a client id of the caller. */
  readonly caller?: string
}

/** Something a person may do on a panel. */
export type PanelAction = {
  /** A short name for its address: letters, digits, hyphens. */
  readonly name: string
  /** What stands on its button. */
  readonly label: string
  /** `danger` for what cannot be undone; it is asked about first. Default `plain`. */
  readonly weight?: 'plain' | 'primary' | 'danger'
  /** What is asked before it is done. Default: nothing, or for danger whether to go on. */
  readonly confirm?: string
  /** What the person fills in first. Default: nothing. */
  readonly fields?: readonly Field[]
  /** Whether it belongs to a row, and is offered where the row names it, or to the whole panel. Default `panel`. */
  readonly on?: 'panel' | 'row'
  /** What the token must allow. Default: the panel's `act`. */
  readonly permission?: string
  /** Does it, usually by starting a flow. What it returns is shown. */
  readonly run: (asked: ActionAsked) => Promise<string | undefined>
}

/** What an app developer writes. */
export type PanelOptions = {
  /** A short name for its address: letters, digits, hyphens. */
  readonly name: string
  /** What stands above the page, and in the list of pages. */
  readonly title: string
  /** One sentence under the title. */
  readonly summary?: string
  /**
   * What the token must allow, to see it and to act on it. Default `view` and `operate`. Several for `view`: each of them is
   * enough.
   */
  readonly permissions?: { readonly view?: NeededPermission; readonly act?: string }
  /** Reads the node; called whenever the panel is looked at and something has happened. */
  readonly read: (node: Node) => Promise<readonly Block[]>
  /** What a person may do on it. Default: nothing. */
  readonly actions?: readonly PanelAction[]
}

/** A page of the dashboard that an app contributes. Make one with {@link definePanel}. */
export type Panel = Required<Pick<PanelOptions, 'name' | 'title' | 'summary' | 'read' | 'actions'>> & {
  readonly permissions: { readonly view: NeededPermission; readonly act: string }
}

const namePattern = /^[a-z][a-z0-9-]{0,39}$/

/** Defines a panel. Names and permissions are checked now, so that a mistake shows at the start and not on a page. */
export const definePanel = (options: PanelOptions): Panel => {
  const { name, title, summary = '', read, actions = [] } = options
  const permissions = { view: options.permissions?.view ?? 'view', act: options.permissions?.act ?? 'operate' }
  const refuse = (what: string): CarillonError =>
    new CarillonError('definition-invalid', `Panel ${name}: ${what}`, { panel: name })
  for (const each of [name, ...actions.map((action) => action.name)])
    if (!namePattern.test(each))
      throw refuse(`"${each}" is not a name. Use small letters, digits and hyphens, beginning with a letter.`)
  const view = [permissions.view].flat()
  if (view.length === 0) throw refuse('it needs a permission to be seen.')
  for (const each of [...view, permissions.act, ...actions.flatMap(({ permission }) => permission ?? [])])
    if (!PermissionC.is(each)) throw refuse(`"${each}" is not a permission, such as view, operate or chores:manage.`)
  if (new Set(actions.map((action) => action.name)).size !== actions.length)
    throw refuse('two actions have the same name.')
  return Object.freeze({ name, title, summary, read, actions, permissions })
}

export const PanelSummaryC = t.readonly(
  t.strict({
    name: t.string,
    title: t.string,
    summary: t.string,
    actions: t.readonlyArray(
      record(
        { name: t.string, label: t.string, on: t.keyof({ panel: null, row: null }), weight: t.string, may: t.boolean },
        { confirm: t.string, fields: t.readonlyArray(FieldC) },
      ),
    ),
  }),
  'Panel',
)

export type PanelSummary = t.TypeOf<typeof PanelSummaryC>

export const PanelContentC = t.readonly(t.strict({ blocks: t.readonlyArray(BlockC), now: InstantC }), 'PanelContent')
export type PanelContent = t.TypeOf<typeof PanelContentC>

export const ActionBodyC = t.exact(t.partial({ row: t.string, input: t.record(t.string, JsonC) }), 'ActionBody')
export const ActionDoneC = record({ done: t.literal(true) }, { message: t.string })
