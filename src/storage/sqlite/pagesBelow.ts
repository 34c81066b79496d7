/**
 * Which pages a page of a SQLite database leads to: its children in the tree, and what did not fit into it. The format is
 * SQLite's own, and fixed (https://www.sqlite.org/fileformat2.html).
 */
const kinds = { innerIndex: 2, innerTable: 5, leafIndex: 10, leafTable: 13 } as const

/** The database's own header stands before the first page's. */
const headerAt = (page: number): number => (page === 1 ? 100 : 0)

const cellsOf = (content: Buffer, page: number): readonly number[] => {
  const at = headerAt(page)
  const isInner = content[at] === kinds.innerIndex || content[at] === kinds.innerTable
  const count = content.readUInt16BE(at + 3)
  return Array.from({ length: count }, (_, place) => content.readUInt16BE(at + (isInner ? 12 : 8) + 2 * place))
}

/** The pages below a page of a tree, in order. */
export const childrenOf = (content: Buffer, page: number): readonly number[] => {
  const at = headerAt(page)
  const kind = content[at]
  if (kind !== kinds.innerIndex && kind !== kinds.innerTable) return []
  return [...cellsOf(content, page).map((cell) => content.readUInt32BE(cell)), content.readUInt32BE(at + 8)]
}

/** A number of SQLite's variable length: seven bits a byte, up to nine bytes. */
const numberAt = (content: Buffer, at: number): { readonly value: number; readonly next: number } => {
  let value = 0
  for (let place = 0; place < 8; place++) {
    const byte = content[at + place] ?? 0
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return { value, next: at + place + 1 }
  }
  return { value: value * 256 + (content[at + 8] ?? 0), next: at + 9 }
}

/** The first pages of what did not fit into a page. */
export const overflowsOf = (content: Buffer, page: number): readonly number[] => {
  const kind = content[headerAt(page)]
  if (kind === kinds.innerTable) return []
  const usable = content.length
  const isTable = kind === kinds.leafTable
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  return cellsOf(content, page).flatMap((cell) => {
    const payload = numberAt(content, kind === kinds.innerIndex ? cell + 4 : cell)
    if (payload.value <= most) return []
    const from = isTable ? numberAt(content, payload.next).next : payload.next
    const kept = least + ((payload.value - least) % (usable - 4))
    return [content.readUInt32BE(from + (kept <= most ? kept : least))]
  })
}
