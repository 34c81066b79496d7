/**
 * A table that is read on a phone too: where there is no room for columns, each row becomes a block in which every
 * value has its column's name above it.
 */
import type { ComponentChildren } from 'preact'

export type TableColumn = { readonly key: string; readonly label: string; readonly number?: boolean }

export type TableCell = {
  readonly content: ComponentChildren
  /** A text that needs the whole width of a phone. */
  readonly wide?: boolean
  /** Nothing to see; a block leaves it out. */
  readonly blank?: boolean
}

export type TableRow = {
  readonly key: string
  readonly cells: Readonly<Record<string, TableCell>>
  readonly acts?: ComponentChildren
}

const classOf = (column: TableColumn, { wide = false, blank = false }: TableCell): string =>
  [column.number === true ? 'number' : '', wide ? 'wide' : '', blank ? 'blank' : ''].filter((each) => each).join(' ')

const nothing: TableCell = { content: null, blank: true }

// The roles are said, because what is not laid out as a table is not taken for one.
export const DataTable = ({
  label,
  columns,
  rows,
}: {
  readonly label: string
  readonly columns: readonly TableColumn[]
  readonly rows: readonly TableRow[]
}) => {
  const hasActs = rows.some(({ acts }) => acts !== undefined)
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.key} role="columnheader" class={column.number === true ? 'number' : ''}>
                {column.label}
              </th>
            ))}
            {hasActs ? (
              <th role="columnheader">
                <span class="hidden">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={row.key} role="row">
              {columns.map((column) => {
                const cell = row.cells[column.key] ?? nothing
                return (
                  <td key={column.key} role="cell" class={classOf(column, cell)} data-label={column.label}>
                    {cell.content}
                  </td>
                )
              })}
              {hasActs ? (
                <td role="cell" class="wide">
                  <div class="acts">{row.acts}</div>
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
