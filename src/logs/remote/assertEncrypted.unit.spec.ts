import { expect } from 'chai'
import { EventStoreDbLog } from '../eventstoredb/EventStoreDbLog.js'
import { openLog } from '../openLog.js'
import { definePostgresProjection } from '../postgres/PostgresProjection.js'
import { PostgresLog } from '../postgres/PostgresLog.js'

type Opened = { readonly close: () => Promise<void> | void }

/** The code of the refusal; what is not refused for want of TLS is not reached either, and given up soon. */
const outcomeOf = async (open: () => Promise<Opened>): Promise<string> => {
  try {
    await (await open()).close()
    return 'opened'
  } catch (error) {
    return (error as { readonly code: string }).code
  }
}
// Nothing answers at this address of documentation, so whoever is let through waits until the deadline.
const nowhere = '192.0.2.1'
const answerMs = 20
const postgres = (url: string): Promise<string> => outcomeOf(() => PostgresLog.open({ url, answerMs }))
const eventStore = (url: string): Promise<string> => outcomeOf(() => EventStoreDbLog.open({ url, answerMs }))

describe('A log on another machine', () => {
  for (const variable of ['PGSSLMODE', 'PGHOST']) {
    let before: string | undefined
    beforeEach(() => {
      before = process.env[variable]
      Reflect.deleteProperty(process.env, variable)
    })
    afterEach(() => {
      if (before === undefined) Reflect.deleteProperty(process.env, variable)
      else process.env[variable] = before
    })
  }

  it('is not reached in plain text over PostgreSQL, however that is written', async () => {
    for (const url of [
      `postgres://node:secret@${nowhere}/app`,
      `postgres://node@${nowhere}/app?sslmode=disable`,
      `postgres://node@${nowhere}/app?ssl=0`,
      `postgresql://node@localhost,${nowhere}/app`,
      `postgres://node@localhost/app?host=${nowhere}`,
      `postgres://node@[2001:db8::1]/app`,
      `postgres://node@127.0.0.1.example/app`,
      `postgres://node@${nowhere}/app?plaintext=false`,
      `postgres://node@${nowhere}/app?plaintext`,
    ])
      expect(await postgres(url), url).to.equal('tls-required')
    process.env['PGHOST'] = nowhere
    expect(await postgres('postgres:///app'), 'by the environment').to.equal('tls-required')
  })

  it('is not reached in plain text by a projection either', () => {
    const define = (url: string): string => {
      try {
        return definePostgresProjection({ name: 'app/Totals', url, tables: [], evolve: () => Promise.resolve() }).name
      } catch (error) {
        return (error as { readonly code: string }).code
      }
    }
    for (const url of [`postgres://node@${nowhere}/app`, `postgres://node@localhost/app?host=${nowhere}`])
      expect(define(url), url).to.equal('tls-required')
    for (const url of [
      'postgres://node@localhost/app',
      `postgres://node@${nowhere}/app?sslmode=verify-full`,
      `postgres://node@${nowhere}/app?plaintext=true`,
    ])
      expect(define(url), url).to.equal('app/Totals')
  })

  it('is not reached in plain text over KurrentDB, however that is written', async () => {
    for (const url of [
      `esdb://admin:changeit@${nowhere}:2113?tls=false`,
      `kurrentdb://${nowhere}?TLS=False`,
      `esdb+discover://localhost,${nowhere}?tls=false`,
      `esdb://[2001:db8::1]:2113?tls=false`,
    ])
      expect(await eventStore(url), url).to.equal('tls-required')
  })

  it('is reached with TLS, on this machine, or where the address says that plain text is meant', async () => {
    for (const url of [
      `postgres://node@${nowhere}/app?sslmode=verify-full`,
      `postgres://node@${nowhere}/app?sslmode=no-verify`,
      `postgres://node@${nowhere}/app?plaintext=true`,
      'postgres://node@localhost:1/app',
      'postgres://node@127.0.0.1:1/app',
      'postgres://node@[::1]:1/app',
      'postgres:///app?host=/nowhere',
    ])
      expect(await postgres(url), url).not.to.equal('tls-required')
    for (const url of [`esdb://${nowhere}:2113?tls=false&plaintext=true`, 'esdb://localhost:1?tls=false'])
      expect(await eventStore(url), url).not.to.equal('tls-required')
  })

  it('is refused before a password is sent, and says what to write', async () => {
    const error: unknown = await openLog(`postgres://node:secret@${nowhere}/app`).catch((thrown: unknown) => thrown)
    expect((error as Error).message)
      .to.contain('sslmode=verify-full')
      .and.to.contain('plaintext=true')
      .and.not.to.contain('secret')
  })
}).timeout(30_000)
