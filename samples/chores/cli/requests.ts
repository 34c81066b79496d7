/**
 * What the command line asks a running process, and what it is answered: one JSON line each way.
 */
import * as t from 'io-ts'
import { ControlC } from '../engine/index.js'

export const DeskRequestC = t.intersection([
  t.strict({ caller: t.string, json: t.boolean }),
  t.union([
    t.strict({ ask: t.literal('list') }),
    t.strict({ ask: t.literal('status'), choreId: t.string }),
    t.strict({ ask: t.literal('log'), choreId: t.string }),
    t.strict({ ask: t.literal('control'), choreId: t.string, control: ControlC }),
    t.strict({ ask: t.literal('stop-all') }),
  ]),
])
export type DeskRequest = t.TypeOf<typeof DeskRequestC>

export const DeskAnswerC = t.union([t.strict({ lines: t.readonlyArray(t.string) }), t.strict({ refused: t.string })])
export type DeskAnswer = t.TypeOf<typeof DeskAnswerC>

/** Longer lines are not read. */
export const longestLine = 1_000_000
