import { expect } from 'chai'
import * as t from 'io-ts'
import { CarillonError } from '../errors/CarillonError.js'
import { defineVerb, defineVerbs, type Verb, type VerbOptions } from './AppVerb.js'

const verb = (options: Partial<VerbOptions<object>>): Verb =>
  defineVerb({
    name: 'list',
    summary: 'list them',
    input: t.strict({}),
    handle: () => Promise.resolve({ lines: [], data: null }),
    ...options,
  })

describe('a verb of an app', () => {
  const argument = (name: string) => ({ name, summary: '' })
  const option = (name: string) => ({ ...argument(name), value: 'x' })

  it('is described as the command line needs it', () => {
    const { description } = defineVerbs({ name: 'chores', summary: 'chores', verbs: [verb({ live: true })] })
    expect(description.verbs).to.deep.equal([
      { name: 'list', summary: 'list them', arguments: [], options: [], live: true },
    ])
  })

  it('is refused where a command line could not reach it', () => {
    for (const make of [
      () => verb({ name: 'List all' }),
      () => verb({ arguments: [argument('chore'), argument('chore')] }),
      () => verb({ arguments: [argument('as')], options: [option('as')] }),
      () => verb({ arguments: [{ ...argument('a'), optional: true }, argument('b')] }),
      () => verb({ options: [option('json')] }),
      () => verb({ options: [option('url')] }),
      () => verb({ permission: 'whatever' }),
      () => verb({ permission: ['chores:view', 'any'] }),
      () => verb({ permission: [] }),
      () => defineVerbs({ name: '-x', summary: '', verbs: [] }),
      () => defineVerbs({ name: 'x', summary: '', verbs: [verb({}), verb({})] }),
    ])
      expect(make).to.throw(CarillonError).with.property('code', 'definition-invalid')
  })
})
