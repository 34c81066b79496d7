/** The digest is recorded beside logs and compared across versions, so how it is reckoned must never show in it. */
import { expect } from 'chai'
import * as fc from 'fast-check'
import { canonicalText } from '../encoding/canonical.js'
import { sha256 } from '../encoding/hash.js'
import { openDatabase } from './sqlite/openDatabase.js'
import { digestTable } from './digest.js'

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"', '\\', '\u0001', '\u007f', '€𝄞'),
)
const numbers = fc.oneof(
  fc.maxSafeInteger().map((number) => number + 0),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map((number) => number + 0),
)

describe('the digest of a table', () => {
  it('is that of its rows as canonical text, a thousand at a time, in the order of their keys', () => {
    const db = openDatabase(':memory:')
    db.exec(
      'CREATE TABLE things (name TEXT NOT NULL, size INTEGER NOT NULL, "by" TEXT, value ANY, PRIMARY KEY (size, name)) STRICT, WITHOUT ROWID',
    )
    const insert = db.prepare('INSERT OR REPLACE INTO things (name, size, "by", value) VALUES (?, ?, ?, ?)')
    const rows = fc.array(fc.tuple(texts, fc.nat({ max: 3 }), fc.option(texts), fc.option(fc.oneof(texts, numbers))))
    fc.assert(
      fc.property(rows, fc.constantFrom(0, 0, 0, 999, 1_000, 2_001), (added, more) => {
        db.exec('BEGIN; DELETE FROM things')
        for (const row of added) insert.run(...row)
        for (let size = 0; size < more; size++) insert.run(`more ${size}`, 10 + size, null, null)
        let hash = sha256('things')
        let chunk: string[] = []
        for (const row of db.prepare('SELECT * FROM things ORDER BY size, name').all()) {
          chunk.push(canonicalText({ ...row }))
          if (chunk.length < 1_000) continue
          hash = sha256(`${hash}\n${chunk.join('\n')}`)
          chunk = []
        }
        expect(digestTable(db, 'things', ['size', 'name'])).to.equal(sha256(`${hash}\n${chunk.join('\n')}`))
        db.exec('COMMIT')
      }),
      { numRuns: 60 },
    )
    db.close()
  })
})
