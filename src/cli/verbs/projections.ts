/**
 * `carillon projections`: how far each projection of the app has come.
 */
import type { Command } from 'commander'
import { ProjectionC, type ProjectionAnswer } from '../../http/answers.js'
import { listVerb } from '../pages.js'
import type { PrintedColumn } from '../table.js'
import type { Terminal } from '../Terminal.js'

const toneOf = ({ state }: ProjectionAnswer): 'green' | 'yellow' | 'red' => {
  if (state === 'live') return 'green'
  return state === 'stopped' ? 'red' : 'yellow'
}

const columns: readonly PrintedColumn<ProjectionAnswer>[] = [
  { header: 'PROJECTION', cell: ({ name }) => name, tone: () => 'bold' },
  { header: 'VERSION', cell: ({ version }) => String(version), align: 'right' },
  { header: 'STATUS', cell: ({ state }) => state, tone: toneOf },
  { header: 'REVISION', cell: ({ revision }) => revision.toLocaleString('en'), align: 'right' },
  { header: 'BEHIND', cell: ({ lag }) => lag.toLocaleString('en'), align: 'right' },
  { header: 'ERROR', cell: ({ error }) => error?.message ?? '', flexible: true },
]

export const projectionsVerb = (real: Terminal): Command =>
  listVerb(
    real,
    [
      'projections',
      'list the projections of the app, with how far each has come',
      ['projections', 'projections --watch', 'projections --json'],
    ],
    {
      path: '/projections',
      item: ProjectionC,
      columns: () => columns,
      empty: 'The app has no projections.',
      isWhole: true,
    },
  )
