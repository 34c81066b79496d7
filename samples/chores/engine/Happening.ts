/**
 * What a transaction of a chore says in one line: the command it carries. The log of a run is nothing but these,
 * read back from the node's log.
 */
import * as t from 'io-ts'
import { defineCommand, IntegerC } from 'carillon'

export const HappeningKindC = t.keyof({
  registered: null,
  deleted: null,
  control: null,
  'run-started': null,
  'run-skipped': null,
  'run-restarted': null,
  'run-completed': null,
  'run-failed': null,
  'run-stopped': null,
  polled: null,
  'task-started': null,
  'task-continued': null,
  'task-completed': null,
  'task-failed': null,
  'task-timed-out': null,
})

export const HappeningC = t.readonly(
  t.strict({
    choreId: t.string,
    run: IntegerC,
    kind: HappeningKindC,
    /** Who asked, where someone did. */
    by: t.union([t.string, t.null]),
    text: t.union([t.string, t.null]),
    /** Why it failed, where it did. */
    why: t.union([t.string, t.null]),
  }),
  'Happening',
)
export type Happening = t.TypeOf<typeof HappeningC>

export const HappeningCommand = defineCommand({ type: 'chores/Happening', data: HappeningC })

export const happening = (
  { choreId, run }: { readonly choreId: string; readonly run: number },
  kind: Happening['kind'],
  more: { readonly by?: string; readonly text?: string; readonly why?: string | null } = {},
): Happening => ({ choreId, run, kind, by: more.by ?? null, text: more.text ?? null, why: more.why ?? null })
