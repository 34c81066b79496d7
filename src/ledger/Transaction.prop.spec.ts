import { expect } from 'chai'
import * as fc from 'fast-check'
import { arbitraryOf } from '../../test/log/arbitraryOf.js'
import { canonicalText } from '../encoding/canonical.js'
import type { Instant } from '../time/Instant.js'
import { outputDataText, sealBody, TransactionBodyC, type TransactionBody } from './Transaction.js'

const bodies = arbitraryOf(TransactionBodyC).map((body) => body as TransactionBody)

const changedHex = (text: string): string => text.replace(/[0-9a-f]$/, (digit) => (digit === '0' ? '1' : '0'))

/** Every body that differs from this one in a single respect. */
const variations = (body: TransactionBody): readonly (readonly [string, TransactionBody])[] => {
  const lists = ['inputs', 'references', 'outputs', 'commands', 'signers'] as const
  const found: [string, TransactionBody][] = [
    ['salt', { ...body, salt: `${body.salt}0` }],
    ['notary name', { ...body, notary: { ...body.notary, name: `${body.notary.name}x` } }],
    ['notary key', { ...body, notary: { ...body.notary, key: changedHex(body.notary.key) as typeof body.notary.key } }],
    ['window from', { ...body, timeWindow: { ...body.timeWindow, from: '1999-12-31T23:59:59.999Z' as Instant } }],
    ['window until', { ...body, timeWindow: { ...body.timeWindow, until: '1999-12-31T23:59:59.999Z' as Instant } }],
  ]
  for (const list of lists) {
    body[list].forEach((_, place) => {
      found.push([`${list} without ${place}`, { ...body, [list]: body[list].filter((__, index) => index !== place) }])
    })
    found.push([`${list} reversed`, { ...body, [list]: [...body[list]].reverse() }])
  }
  body.inputs.forEach((input, place) => {
    const others = body.inputs.filter((_, index) => index !== place)
    found.push([
      `input ${place} referenced instead`,
      { ...body, inputs: others, references: [...body.references, input] },
    ])
    const altered = { ...input, index: input.index === 0 ? 1 : 0 }
    found.push([`index of input ${place}`, { ...body, inputs: body.inputs.with(place, altered) }])
  })
  body.outputs.forEach((output, place) => {
    const variants = [
      { ...output, type: `${output.type}x` },
      { ...output, version: output.version === 1 ? 2 : 1 },
      { ...output, contract: { ...output.contract, name: `${output.contract.name}x` } },
      { ...output, contract: { ...output.contract, version: output.contract.version === 1 ? 2 : 1 } },
      { ...output, data: [output.data] },
    ]
    for (const variant of variants)
      found.push([`output ${place}`, { ...body, outputs: body.outputs.with(place, variant) }])
  })
  body.commands.forEach((command, place) => {
    found.push([
      `type of command ${place}`,
      { ...body, commands: body.commands.with(place, { ...command, type: `${command.type}x` }) },
    ])
    found.push([
      `data of command ${place}`,
      { ...body, commands: body.commands.with(place, { ...command, data: [command.data] }) },
    ])
  })
  body.signers.forEach((keys, place) => {
    keys.forEach((key, at) => {
      if (typeof key !== 'string') return
      const altered = keys.with(at, changedHex(key) as typeof key)
      found.push([`signer ${at} of command ${place}`, { ...body, signers: body.signers.with(place, altered) }])
    })
  })
  return found.filter(([, variant]) => canonicalText(variant) !== canonicalText(body))
}

describe('the id of a transaction', () => {
  it('is the same for the same body, read back or not', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const { id, encoded } = sealBody(body)
        const again = JSON.parse(encoded.text) as TransactionBody
        expect(sealBody(again)).to.deep.equal({ id, encoded })
        // A copy: of a body that was sealed the text is kept.
        expect(encoded.text).to.equal(canonicalText({ ...body }))
        body.outputs.forEach((output, index) => {
          expect(outputDataText(body, output, index)).to.equal(canonicalText(output.data))
        })
      }),
    )
  })

  it('is another one when anything in the body is: a component, its kind, its place, salt, notary, window or signer', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const { id } = sealBody(body)
        const variants = variations(body)
        expect(variants).to.not.have.length(0)
        const ids = variants.map(([what, variant]) => {
          expect(sealBody(variant).id, what).to.not.equal(id)
          return [canonicalText(variant), sealBody(variant).id] as const
        })
        expect(new Set(ids.map(([, other]) => other)).size).to.equal(new Set(ids.map(([text]) => text)).size)
      }),
      { numRuns: 60 },
    )
  })
})
