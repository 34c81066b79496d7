/** The OpenAPI document is one by the rules of OpenAPI, as a validator of others judges it. */
import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Belfry } from './belfry.js'

const validator = resolve('node_modules/@seriousme/openapi-schema-validator/bin/validate-api-cli.js')

describe('The OpenAPI document', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-openapi-'))
  let document: Readonly<Record<string, unknown>> = {}
  before(async () => {
    const belfry = await Belfry.open()
    document = (await belfry.ask('/api/v1/openapi.json')).body
    await belfry.close()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** What the validator has to say, and whether it is content. */
  const judged = (given: object): { readonly isValid: boolean; readonly said: string } => {
    const file = join(folder, 'openapi.json')
    writeFileSync(file, JSON.stringify(given))
    const { status, stdout, stderr } = spawnSync(process.execPath, [validator, file], { encoding: 'utf8' })
    return { isValid: status === 0, said: `${stdout}${stderr}` }
  }

  it('is valid', () => {
    expect(document['openapi']).to.match(/^3\./)
    const { isValid, said } = judged(document)
    expect(isValid, said.slice(0, 2_000)).to.equal(true)
  })

  it('is found invalid without a title, and with a parameter that is nowhere', () => {
    expect(judged({ ...document, info: { version: '1' } }).isValid).to.equal(false)
    expect(judged({ ...document, paths: { '/health': { get: { parameters: [{ name: 'a' }] } } } }).isValid).to.equal(
      false,
    )
  })
})
