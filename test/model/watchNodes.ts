/**
 * Loaded before specs (`mocha --require`): every virtual node or party that is given no store is held against the model,
 * after each tick and each restart. A difference fails the spec in which it appears.
 */
import { EmbeddedStore } from '../../src/storage/EmbeddedStore.js'
import { ModelWatch } from '../../src/testing/model/ModelWatch.js'
import { virtualStores } from '../../src/testing/virtualStores.js'

const opened: ModelWatch[] = []

const watched = (store: EmbeddedStore, watch: ModelWatch): EmbeddedStore => {
  const { commit } = store
  const reopen = store.reopen.bind(store)
  return Object.assign(store, {
    commit: (tick: Parameters<EmbeddedStore['commit']>[0]) => {
      const outcome = commit(tick)
      if (outcome.kind !== 'appended') return outcome
      watch.take(tick)
      watch.compareChanged(store.reader)
      return outcome
    },
    reopen: () => {
      const next = watched(reopen(), watch)
      watch.compareAll(next.reader)
      return next
    },
  })
}

virtualStores.open = ({ agenda, engine, storage } = {}) => {
  const watch = new ModelWatch({ ...agenda, ...engine })
  opened.push(watch)
  return watched(EmbeddedStore.inMemory(storage === undefined ? {} : { limits: storage }), watch)
}

export const mochaHooks = {
  afterEach(): void {
    const found = opened.splice(0).flatMap(({ ticks, views }) => [...ticks, ...views])
    if (found.length > 0) throw new Error(`The node differs from the model:\n${found.join('\n')}`)
  },
}
