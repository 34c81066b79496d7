/**
 * What the conductor of a live run and its nodes say to each other. It is about the clock and about orders from
 * outside; what the nodes have to do with each other goes between them, over TLS.
 */
import { IntegerC, JsonC } from 'carillon'
import * as t from 'io-ts'

export const RoleC = t.keyof({ bank: null, notary: null, oracle: null, regulator: null })
export type Role = t.TypeOf<typeof RoleC>

/** What a node's process is started with. */
export const NodeSettingsC = t.strict({ folder: t.string, role: RoleC, startMs: IntegerC, payments: t.string })
export type NodeSettings = t.TypeOf<typeof NodeSettingsC>

/** An order: it is this late; announce your rates; offer this trade; say how the trade stands; stop. */
export const OrderC = t.union([
  t.strict({ type: t.literal('time'), ms: IntegerC }),
  t.strict({ type: t.literal('announce') }),
  t.strict({ type: t.literal('offer'), terms: JsonC }),
  t.strict({ type: t.literal('look') }),
  t.strict({ type: t.literal('stop') }),
])
export type Order = t.TypeOf<typeof OrderC>

/** How a node stands once it has done as it was told. */
export const ReportC = t.strict({
  revision: IntegerC,
  /** When it next wants to be woken; null when it waits for others only. */
  nextMs: t.union([t.null, IntegerC]),
  /** The newest state of the trade, where there is one. */
  swap: t.union([t.null, JsonC]),
  isOver: t.boolean,
})
export type Report = t.TypeOf<typeof ReportC>
