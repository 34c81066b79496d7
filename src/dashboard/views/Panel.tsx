/**
 * A panel of the app: its blocks drawn, its actions offered to whoever may take them.
 */
import { useState } from 'preact/hooks'
import type { Block, Cell, PanelContent, PanelSummary } from '../../http/Panel.js'
import { get, post } from '../api.js'
import { DataTable, type TableCell } from '../parts/DataTable.js'
import { Act, Answered, Card, Empty, FactList, Lamp } from '../parts/ui.js'
import { useEscape } from '../useEscape.js'
import { useAnswer } from '../useLive.js'
import { useNarrow } from '../useNarrow.js'
import { linkTo } from '../useRoute.js'
import { clock, count, distance, shownInstant, shownId, shownRef, wholeRef } from '../words.js'

const longestWord = 24

/** So many bars have a label, whatever their number: more would run into each other. */
const labelled = { wide: 8, narrow: 4 } as const

const CellView = ({ cell, nowMs }: { readonly cell: Cell | undefined; readonly nowMs: number }) => {
  if (cell === undefined || cell === null) return <span class="nothing">–</span>
  if (typeof cell === 'boolean') return <>{cell ? 'yes' : 'no'}</>
  if (typeof cell === 'number') return <>{count(cell)}</>
  // A date or a name is not to be broken in two where a column is narrow; a sentence may be.
  if (typeof cell === 'string') return <span class={cell.length > longestWord ? '' : 'word'}>{cell}</span>
  if ('instant' in cell) return <time title={shownInstant(cell.instant)}>{distance(cell.instant, nowMs)}</time>
  if ('lamp' in cell) return <Lamp tone={cell.lamp} text={cell.text} />
  if ('ref' in cell) return <a href={linkTo('state', wholeRef(cell.ref))}>{cell.text ?? shownRef(cell.ref)}</a>
  if ('flow' in cell) return <a href={linkTo('flow', cell.flow)}>{cell.text ?? shownId(cell.flow)}</a>
  return (
    <span class="share">
      <progress max={1} value={cell.share} aria-label={cell.text ?? 'share'} />
      {cell.text ?? `${Math.round(cell.share * 100)} %`}
    </span>
  )
}

const tableCell = (cell: Cell | undefined, content: preact.ComponentChildren): TableCell => ({
  content,
  wide: typeof cell === 'string' && cell.length > longestWord,
  blank: cell === undefined || cell === null || cell === '',
})

const ActionForm = ({
  action,
  run,
  done,
}: {
  readonly action: PanelSummary['actions'][number]
  readonly run: (input: Readonly<Record<string, unknown>>) => Promise<unknown>
  readonly done: () => void
}) => {
  const fields = action.fields ?? []
  const [open, setOpen] = useState(false)
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  useEscape(open, () => setOpen(false))
  const valueOf = (name: string): string =>
    values[name] ?? String(fields.find((field) => field.name === name)?.default ?? '')
  const input = (): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      fields
        .filter(({ name }) => valueOf(name) !== '')
        .map(({ name, kind }) => [
          name,
          kind === 'number'
            ? Number(valueOf(name))
            : kind === 'instant'
              ? new Date(`${valueOf(name)}Z`).toISOString()
              : valueOf(name),
        ]),
    )
  const confirm = action.confirm ?? (action.weight === 'danger' ? 'Go on?' : undefined)
  if (fields.length === 0)
    return <Act label={action.label} weight={action.weight} confirm={confirm} act={() => run({})} done={done} />
  if (!open)
    return (
      <button type="button" class={action.weight} onClick={() => setOpen(true)}>
        {action.label} …
      </button>
    )
  return (
    <form class="action" onSubmit={(event) => event.preventDefault()}>
      {fields.map((field) => (
        <label key={field.name}>
          {field.label}
          {field.kind === 'choice' ? (
            <select
              value={valueOf(field.name)}
              onChange={({ currentTarget }) => setValues({ ...values, [field.name]: currentTarget.value })}
            >
              {(field.choices ?? []).map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </select>
          ) : (
            <input
              type={field.kind === 'number' ? 'number' : field.kind === 'instant' ? 'datetime-local' : 'text'}
              value={valueOf(field.name)}
              onInput={({ currentTarget }) => setValues({ ...values, [field.name]: currentTarget.value })}
            />
          )}
        </label>
      ))}
      <Act
        submits
        label={action.label}
        weight={action.weight === 'plain' ? 'primary' : action.weight}
        confirm={confirm}
        act={() => run(input())}
        done={() => {
          setOpen(false)
          done()
        }}
      />
      <button type="button" onClick={() => setOpen(false)}>
        Cancel
      </button>
    </form>
  )
}

type Doing = {
  readonly offered: (names: readonly string[] | undefined, row: string) => readonly preact.VNode[]
  readonly nowMs: number
}

const laneTones = { green: 'onTime', blue: 'scheduled', amber: 'late', red: 'failed', grey: 'rest' } as const

const TimeBlock = ({
  block,
  nowMs,
}: {
  readonly block: Extract<Block, { kind: 'timeline' }>
  readonly nowMs: number
}) => {
  const times = [
    nowMs,
    ...block.items.flatMap(({ at, until }) => [Date.parse(at), ...(until === undefined ? [] : [Date.parse(until)])]),
  ]
  const first = Math.min(...times)
  const last = Math.max(...times)
  // Half a mark lies on either side of its instant, and is to stay within the track on a phone too.
  const share = (ms: number): number => 2 + ((ms - first) / Math.max(1, last - first)) * 96
  const lanes = [...new Set(block.items.map(({ lane }) => lane))]
  const isShort = last - first < 172_800_000
  return (
    <div class="lanes">
      {lanes.map((lane) => (
        <div class="lane" key={lane}>
          <span class="name">{lane}</span>
          <div class="track">
            <i class="nowline" style={{ left: `${share(nowMs)}%` }} />
            {block.items
              .filter((item) => item.lane === lane)
              .map((item, index) => (
                <span
                  key={index}
                  class={`mark ${laneTones[item.tone]} ${item.until === undefined ? 'point' : 'span'}`}
                  style={{
                    left: `${share(Date.parse(item.at))}%`,
                    ...(item.until === undefined
                      ? {}
                      : { width: `${Math.max(0.6, share(Date.parse(item.until)) - share(Date.parse(item.at)))}%` }),
                  }}
                  title={`${shownInstant(item.at)}: ${item.text}`}
                >
                  <span class="hidden">{`${shownInstant(item.at)}: ${item.text}`}</span>
                </span>
              ))}
          </div>
        </div>
      ))}
      <div class="lane ends" aria-hidden="true">
        <span class="name" />
        <div>
          <span>{isShort ? clock(new Date(first).toISOString()) : new Date(first).toISOString().slice(0, 10)}</span>
          <span>{isShort ? clock(new Date(last).toISOString()) : new Date(last).toISOString().slice(0, 10)}</span>
        </div>
      </div>
    </div>
  )
}

const BarsBlock = ({ block }: { readonly block: Extract<Block, { kind: 'bars' }> }) => {
  const most = Math.max(1, ...block.bars.map(({ value, of }) => of ?? value))
  const every = Math.ceil(block.bars.length / (useNarrow() ? labelled.narrow : labelled.wide))
  return (
    <div class="bars" role="list">
      {block.bars.map((bar, index) => (
        <div
          role="listitem"
          key={index}
          title={`${bar.label}: ${bar.value}${bar.of === undefined ? '' : ` of ${bar.of}`}`}
        >
          <i class={bar.tone} style={{ height: `${(bar.value / most) * 100}%` }} />
          <span>{index % every === 0 ? bar.label : ''}</span>
        </div>
      ))}
    </div>
  )
}

const BlockView = ({ block, doing }: { readonly block: Block; readonly doing: Doing }) => {
  const { offered, nowMs } = doing
  switch (block.kind) {
    case 'facts':
      return (
        <div class="figures">
          {block.facts.map(({ label, value }) => (
            <div class="figure" key={label}>
              <span class="label">{label}</span>
              <span class="value">
                <CellView cell={value} nowMs={nowMs} />
              </span>
            </div>
          ))}
        </div>
      )
    case 'lamps':
      return block.lamps.length === 0 ? (
        <Empty title={block.empty} />
      ) : (
        <div class="lampwall">
          {block.lamps.map((lamp) => (
            <section class={`bulb ${lamp.tone}`} key={lamp.key}>
              <header>
                <i aria-hidden="true" />
                <div>
                  <h2>{lamp.label}</h2>
                  <span class="text">{lamp.text}</span>
                </div>
              </header>
              {lamp.detail === undefined ? null : <p>{lamp.detail}</p>}
              {lamp.facts === undefined ? null : (
                <FactList
                  facts={lamp.facts.map(({ label, value }) => [
                    label,
                    <CellView key={label} cell={value} nowMs={nowMs} />,
                  ])}
                />
              )}
              <div class="acts">{offered(lamp.actions, lamp.key)}</div>
            </section>
          ))}
        </div>
      )
    case 'bars':
      return block.bars.length === 0 ? <Empty title={block.empty} /> : <BarsBlock block={block} />
    case 'timeline':
      return block.items.length === 0 ? <Empty title={block.empty} /> : <TimeBlock block={block} nowMs={nowMs} />
    case 'table': {
      return block.rows.length === 0 ? (
        <Empty title={block.empty} />
      ) : (
        <DataTable
          label={block.title ?? 'Table'}
          columns={block.columns.map(({ key, label, align }) => ({ key, label, number: align === 'right' }))}
          rows={block.rows.map((row) => {
            const acts = offered(row.actions, row.key)
            return {
              key: row.key,
              cells: Object.fromEntries(
                block.columns.map(({ key }) => [
                  key,
                  tableCell(row.cells[key], <CellView cell={row.cells[key]} nowMs={nowMs} />),
                ]),
              ),
              ...(acts.length === 0 ? {} : { acts }),
            }
          })}
        />
      )
    }
  }
}

export const PanelPage = ({
  panel,
  node,
  when,
  nowMs,
}: {
  readonly panel: PanelSummary
  readonly node: string
  /** Changes whenever the panel is to be asked for anew. */
  readonly when: unknown
  /** Default: when the node answered. */
  readonly nowMs?: number
}) => {
  const [said, setSaid] = useState<string>()
  const asking = useAnswer(() => get<PanelContent>(`/panels/${panel.name}`), `${node} ${panel.name}`, when)
  const run =
    (action: PanelSummary['actions'][number], row?: string) => async (input: Readonly<Record<string, unknown>>) => {
      const body = { input, ...(row === undefined ? {} : { row }) }
      const { message } = await post<{ readonly message?: string }>(
        `/panels/${panel.name}/actions/${action.name}`,
        body,
      )
      setSaid(message)
    }
  const form = (action: PanelSummary['actions'][number], row?: string) => (
    <ActionForm key={action.name} action={action} run={run(action, row)} done={asking.again} />
  )
  const offered: Doing['offered'] = (names = [], row) =>
    panel.actions.filter(({ name, may }) => may && names.includes(name)).map((action) => form(action, row))
  return (
    <>
      <h1>{panel.title}</h1>
      {panel.summary === '' ? null : <p class="summary">{panel.summary}</p>}
      <div class="acts wide">
        {panel.actions.filter(({ on, may }) => may && on === 'panel').map((action) => form(action))}
      </div>
      {said === undefined ? null : (
        <p class="said" role="status">
          {said}
        </p>
      )}
      <Answered asking={asking}>
        {({ blocks, now }) =>
          blocks.map((block, index) => {
            const view = <BlockView block={block} doing={{ offered, nowMs: nowMs ?? Date.parse(now) }} />
            return block.kind === 'facts' || block.kind === 'lamps' ? (
              <div key={index} class="bare">
                {block.title === undefined ? null : <h2>{block.title}</h2>}
                {view}
              </div>
            ) : (
              <Card key={index} {...(block.title === undefined ? {} : { title: block.title })}>
                {view}
              </Card>
            )
          })
        }
      </Answered>
    </>
  )
}
