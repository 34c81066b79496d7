/**
 * Recorded logs as tests: one for each file of a folder. For mocha, and for every runner that has `describe` and `it`
 * as globals.
 */
import { CarillonError } from '../../errors/CarillonError.js'
import type { ReplayOptions } from './ReplayGround.js'
import { recordedLogs } from './recordedLogs.js'
import { assertReplays } from './replay.js'

type Runner = {
  readonly describe: (title: string, body: () => void) => unknown
  readonly it: (title: string, body: () => Promise<void>) => unknown
}

const isRunner = (host: object): host is Runner =>
  'describe' in host && typeof host.describe === 'function' && 'it' in host && typeof host.it === 'function'

/** Makes a test of every recorded log in a folder: today's code must still agree with it. */
export const describeReplay = (
  title: string,
  { folder, ...options }: ReplayOptions & { readonly folder: string },
  runner: object = globalThis,
): void => {
  if (!isRunner(runner))
    throw new CarillonError(
      'usage',
      'describeReplay needs a test runner with describe and it as globals, such as mocha. Hand yours over as the last argument, or call assertReplays in a test.',
    )
  runner.describe(title, () => {
    for (const { name, file, answersDigest } of recordedLogs(folder))
      runner.it(`${name} is replayed without a difference`, async () => {
        await assertReplays(file, { ...options, ...(answersDigest === undefined ? {} : { answersDigest }) })
      })
  })
}
