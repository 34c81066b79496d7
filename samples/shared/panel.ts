/**
 * Blocks of panels in a few lines.
 */
import type { Node } from 'carillon'
import type { Block, Cell } from 'carillon/http'

type Table = Extract<Block, { readonly kind: 'table' }>

/** A table: its columns by key, with what stands above each, and those whose cells stand to the right. */
export const table = (
  columns: Readonly<Record<string, string>>,
  { right = [], ...rest }: Omit<Table, 'kind' | 'columns'> & { readonly right?: readonly string[] },
): Block => ({
  kind: 'table',
  columns: Object.entries(columns).map(([key, label]) => ({
    ...{ key, label },
    ...(right.includes(key) ? { align: 'right' as const } : {}),
  })),
  ...rest,
})

/** Single facts, large, each with its label. */
export const facts = (byLabel: Readonly<Record<string, Cell>>): Block => ({
  kind: 'facts',
  facts: Object.entries(byLabel).map(([label, value]) => ({ label, value })),
})

/** How many unconsumed states of a type there are. */
export const countOf = async (node: Node, type: string): Promise<number> =>
  (await node.aggregate({ type }))[0]?.count ?? 0
