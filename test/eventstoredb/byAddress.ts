/**
 * `npm run test:logs:by-address`: all of `npm run test:logs`, against a server that is known by its address alone. It is
 * the one that ESDB_URL names, or the test server in a process of its own.
 */
import { spawn } from 'node:child_process'
import { withEventStoreDb } from '../../bench/eventStoreDb.js'

process.exitCode = await withEventStoreDb(
  (url) =>
    new Promise<number>((resolve) => {
      const child = spawn('npm', ['run', '--silent', 'test:logs', '--', ...process.argv.slice(2)], {
        stdio: 'inherit',
        env: { ...process.env, ESDB_URL: url },
      })
      child.on('close', (code) => resolve(code ?? 1))
    }),
)
