/** What the command line of the sample says about words that do not go together. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import * as t from 'io-ts'
import { programStart } from '../../shared/test/builtPackage.js'

const FailedC = t.type({ code: t.number, stderr: t.string })
const main = join(import.meta.dirname, '../main.ts')

describe('npm run sample:swap', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'carillon-swap-'))
  after(() => {
    rmSync(scratch, { recursive: true })
  })

  /** What is said on the way out, and the exit code. */
  const refusal = async (...args: readonly string[]): Promise<readonly [code: unknown, stderr: string]> =>
    promisify(execFile)(process.execPath, [...programStart, main, ...args]).then(
      () => [0, ''],
      (error: unknown) => (FailedC.is(error) ? [error.code, error.stderr] : [undefined, String(error)]),
    )

  it('--kills, --speed and --folder without --live says what is missing, and begins nothing', async () => {
    for (const stray of ['kills', 'speed', 'folder']) {
      const said = `--${stray} is about real processes. Add --live, or leave it out.\n`
      expect(await refusal(`--${stray}`, '5')).to.deep.equal([1, said])
    }
    const [code, stderr] = await refusal('--live', '--crashes', '3')
    expect(code).to.equal(1)
    expect(stderr).to.contain('--kills')
  })

  it('--live --folder with a folder that holds something says so in a sentence', async () => {
    const folder = join(scratch, 'mine')
    mkdirSync(folder)
    writeFileSync(join(folder, 'letter.txt'), 'dear')
    const [code, stderr] = await refusal('--live', '--folder', folder)
    expect(code).to.equal(1)
    expect(stderr.trim().split('\n'), stderr).to.have.length(1)
    expect(stderr).to.contain(folder).and.to.contain('hoose another')
  })
})
