/** The model folds the logs that were recorded per release, and finds in them what the views find. */
import { join } from 'node:path'
import { expect } from 'chai'
import { openReplaySource } from '../testing/replay/openReplaySource.js'
import { recordedLogs } from '../testing/replay/recordedLogs.js'
import { ModelWatch } from '../testing/model/ModelWatch.js'
import { LogFold } from '../storage/LogFold.js'
import { openDatabase } from '../storage/sqlite/openDatabase.js'
import { StoredViews, viewsSchema } from '../storage/StoredViews.js'

const folder = join(import.meta.dirname, '../../test/replay')

describe('The model and a recorded log', () => {
  for (const { name, file } of recordedLogs(folder))
    it(`agree on every tick and every row of ${name}`, async () => {
      const watch = new ModelWatch()
      const db = openDatabase(':memory:')
      db.exec(viewsSchema)
      const fold = new LogFold(new StoredViews(db))
      for await (const tick of openReplaySource(file)) {
        watch.take(tick)
        fold.fold(tick)
      }
      fold.write()
      watch.compareAll(db)
      db.close()
      expect(watch.ticks).to.deep.equal([])
      expect(watch.views).to.deep.equal([])
      expect(watch.model.flows.size).to.be.greaterThan(0)
    }).timeout(60_000)
})
