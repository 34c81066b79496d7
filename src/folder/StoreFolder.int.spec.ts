import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openStoreFolder } from './StoreFolder.js'

describe('a store folder', () => {
  let folder: string
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'carillon-folder-')), 'shared')
    mkdirSync(folder, { mode: 0o755 })
  })
  afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }))

  /** Files that hold what was recorded, and who besides the owner may do something with them. */
  const openToOthers = () =>
    readdirSync(folder).filter(
      (file) => file.startsWith('carillon.db') && (statSync(join(folder, file)).mode & 0o077) !== 0,
    )

  it('keeps what is recorded from others, even in a folder they may enter', async () => {
    const { releaseHold } = await openStoreFolder(folder)
    try {
      expect(readdirSync(folder)).to.include('carillon.db-wal')
      expect(openToOthers()).to.deep.equal([])
    } finally {
      await releaseHold()
    }
  })

  it('takes back what an older file let others see', async () => {
    writeFileSync(join(folder, 'carillon.db'), '', { mode: 0o644 })
    const { releaseHold } = await openStoreFolder(folder)
    try {
      expect(openToOthers()).to.deep.equal([])
    } finally {
      await releaseHold()
    }
  })
})
