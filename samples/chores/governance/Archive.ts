/**
 * The archive of a stand-in governance: settled proposals are moved into it in small portions. Each portion names
 * where it begins, so archiving the same portion twice is the same as once.
 */
import * as t from 'io-ts'
import { defineCommand, defineFlow, defineState, IntegerC, NoInputC, PartyC, type FlowBody } from 'carillon'

export const Archive = defineState({
  type: 'governance/Archive',
  data: t.strict({ owner: PartyC, settled: IntegerC, archived: IntegerC }),
  participants: ({ owner }) => [owner],
})

export const ArchiveCommand = defineCommand({ type: 'governance/ManageArchive' })

/** Settles more proposals, so that there is something to archive. */
export const SettleProposals = defineFlow({
  name: 'governance/SettleProposals',
  input: t.strict({ count: IntegerC }),
  *run(io, { count }): FlowBody<void> {
    const [archive] = yield* io.query(Archive, { limit: 1 })
    const { settled, archived } = archive?.data ?? { settled: 0, archived: 0 }
    yield* io.finalise((tx) =>
      tx
        .consume(...(archive === undefined ? [] : [archive]))
        .produce(Archive, { owner: io.me, settled: settled + count, archived })
        .command(ArchiveCommand, [io.me]),
    )
  },
})

const portion = 10

type Progress = { readonly archived: number; readonly settled: number }

export const ArchiveProgress = defineFlow({
  name: 'governance/ArchiveProgress',
  input: NoInputC,
  *run(io): FlowBody<Progress> {
    const [archive] = yield* io.query(Archive, { limit: 1 })
    return { archived: archive?.data.archived ?? 0, settled: archive?.data.settled ?? 0 }
  },
})

/** Archives the portion that begins at `from`. One that was archived before is left as it is. */
export const ArchivePortion = defineFlow({
  name: 'governance/ArchivePortion',
  input: t.strict({ from: IntegerC }),
  *run(io, { from }): FlowBody<Progress> {
    const [archive] = yield* io.query(Archive, { limit: 1 })
    if (archive === undefined) return { archived: 0, settled: 0 }
    const { settled, archived, owner } = archive.data
    if (archived !== from) return { archived, settled }
    const next = Math.min(archived + portion, settled)
    yield* io.finalise((tx) =>
      tx.consume(archive).produce(Archive, { owner, settled, archived: next }).command(ArchiveCommand, [owner]),
    )
    return { archived: next, settled }
  },
})
