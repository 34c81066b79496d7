import { expect } from 'chai'
import { parsePostgresAddress } from './PostgresAddress.js'

const refused = (url: string, schema?: string): string => {
  try {
    parsePostgresAddress(url, schema)
    return 'taken'
  } catch (error) {
    return (error as { readonly code: string }).code
  }
}

describe('The address of a PostgreSQL log', () => {
  it('names a database, and a schema of its own or the usual one', () => {
    const plain = parsePostgresAddress('postgres://node:secret@db:5432/app')
    expect(plain).to.deep.equal({
      urls: ['postgres://node:secret@db:5432/app'],
      schema: 'carillon',
      shown: 'postgres://node@db:5432/app?schema=carillon',
    })
    expect(parsePostgresAddress('postgresql://db/app?schema=alice&sslmode=require')).to.deep.include({
      urls: ['postgresql://db/app?sslmode=require'],
      schema: 'alice',
    })
    expect(parsePostgresAddress('postgres://db/app?schema=alice', 'bob').schema).to.equal('bob')
  })

  it('may list several hosts, which are tried one after the other', () => {
    const { urls, shown } = parsePostgresAddress('postgres://node:s%40@a:1,b:2/app?target_session_attrs=read-write')
    expect(urls).to.deep.equal(['postgres://node:s%40@a:1/app', 'postgres://node:s%40@b:2/app'])
    expect(shown).to.equal('postgres://node@a:1,b:2/app?schema=carillon')
  })

  it('is never shown with its password', () => {
    expect(parsePostgresAddress('postgres://node:secret@db/app').shown).to.not.contain('secret')
    try {
      parsePostgresAddress('postgres://node:secret@db:x/app')
      expect.fail('was taken')
    } catch (error) {
      expect(String(error)).to.not.contain('secret')
    }
  })

  it('is refused when it is no connection string or names no possible schema', () => {
    for (const url of ['', 'db', 'mysql://db/app', 'postgres://db:port/app'])
      expect(refused(url), url).to.equal('log-address-invalid')
    for (const schema of ['', 'a b', 'pg_mine', 'x"; DROP SCHEMA public; --', 's'.repeat(64)])
      expect(refused('postgres://db/app', schema), schema).to.equal('log-address-invalid')
  })
})
