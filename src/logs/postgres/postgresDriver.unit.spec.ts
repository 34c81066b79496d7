import { expect } from 'chai'
import { postgresDriver } from './postgresDriver.js'

describe('the driver for PostgreSQL', () => {
  it('is missing with an error that says what to install and why', () => {
    const absent = (): never => {
      throw new Error("Cannot find module 'pg'\nRequire stack:\n- somewhere")
    }
    expect(() => postgresDriver(absent))
      .to.throw(/Run "npm install pg".*\(Cannot find module 'pg'\)$/)
      .with.property('code', 'postgres-missing')
  })

  it('is the package of the app', () => {
    expect(postgresDriver()).to.have.property('Client').that.is.a('function')
  })
})
