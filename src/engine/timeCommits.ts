/**
 * A store that also knows how long its last commit took: from the views' last write until the log has the tick.
 */
import type { LoopStore } from './LoopStore.js'

export const timeCommits = (store: LoopStore): { readonly store: LoopStore; readonly lastCommitMs: () => number } => {
  let lastMs = 0
  const timed =
    (handOver: NonNullable<LoopStore['handOver']>): typeof handOver =>
    (tick) => {
      const startedMs = performance.now()
      const commit = handOver(tick)
      commit?.whenDone(() => {
        lastMs = performance.now() - startedMs
      })
      return commit
    }
  return {
    lastCommitMs: () => lastMs,
    store: {
      views: store.views,
      readsApart: store.readsApart === true,
      head: () => store.head(),
      begin: () => store.begin(),
      rollback: () => store.rollback(),
      tick: (number) => store.tick(number),
      read: (fromRevision) => store.read(fromRevision),
      trouble: () => store.trouble?.(),
      ...(store.probeLog === undefined ? {} : { probeLog: store.probeLog }),
      whenSound: store.whenSound,
      ...(store.onBroken === undefined ? {} : { onBroken: store.onBroken }),
      abandon: () => store.abandon?.(),
      resume: () => store.resume?.(),
      mark: (mark) => store.mark?.(mark),
      close: () => store.close(),
      ...(store.handOver === undefined ? {} : { handOver: timed(store.handOver) }),
      ...(store.isWriterIdle === undefined ? {} : { isWriterIdle: store.isWriterIdle }),
      commit: (tick) => {
        const startedMs = performance.now()
        const outcome = store.commit(tick)
        if (!(outcome instanceof Promise)) {
          lastMs = performance.now() - startedMs
          return outcome
        }
        return outcome.finally(() => {
          lastMs = performance.now() - startedMs
        })
      },
    },
  }
}
