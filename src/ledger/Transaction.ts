/**
 * A transaction as it is recorded, hashed and signed. Components are kept as canonical text, so that what was
 * hashed, what is in the log and what the views hold are the same bytes.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { JsonC } from '../encoding/JsonC.js'
import { canonicalText, Encoded, rememberText, writeNumber, writeText } from '../encoding/canonical.js'
import { PartyC, partyText, type Party } from '../identity/Party.js'
import { KeyC } from '../identity/Key.js'
import type { AnyStateDefinition } from './StateDefinition.js'
import { refText, StateRefC, type StateRef } from './StateRef.js'
import { TimeWindowC } from './TimeWindow.js'
import { transactionIdOf, type Components } from './componentTree.js'
import type { DraftOutput, TransactionBuilder } from './TransactionBuilder.js'
import type { TransactionId } from './TransactionId.js'

const ContractNameC = t.strict({ name: t.string, version: IntegerC })

/** An output: encoded data, the type and version that read it, and the contract version that governs it. */
export const OutputC = t.readonly(
  t.strict({ type: t.string, version: IntegerC, contract: ContractNameC, data: JsonC }),
  'Output',
)
/** A state as a transaction produces it. */
export type Output = t.TypeOf<typeof OutputC>

export const TransactionBodyC = t.readonly(
  t.intersection([
    t.strict({
      inputs: t.readonlyArray(StateRefC),
      references: t.readonlyArray(StateRefC),
      outputs: t.readonlyArray(OutputC),
      commands: t.readonlyArray(t.readonly(t.strict({ type: t.string, data: JsonC }))),
      /** For each command, the keys that must sign for it. */
      signers: t.readonlyArray(t.readonlyArray(KeyC)),
      notary: PartyC,
      salt: t.string,
    }),
    t.exact(
      t.partial({
        timeWindow: TimeWindowC,
        /** The notary its outputs stand under, where that is another one than lets its inputs be consumed. */
        newNotary: PartyC,
      }),
    ),
  ]),
  'Transaction',
)
/** All that a transaction says. */
export type TransactionBody = t.TypeOf<typeof TransactionBodyC>

/** The notary a transaction's outputs stand under. */
export const notaryOfOutputs = ({ notary, newNotary }: Pick<TransactionBody, 'notary' | 'newNotary'>): Party =>
  newNotary ?? notary

/** The transactions that made what a transaction consumes and references. */
export const dependenciesOf = (body: TransactionBody): readonly TransactionId[] => [
  ...new Set([...body.inputs, ...body.references].map(({ transaction }) => transaction)),
]

export type Transaction = {
  readonly id: TransactionId
  /** The canonical text of the whole body. */
  readonly encoded: Encoded
}

const asText = (component: unknown): Encoded => new Encoded(canonicalText(component))

const listOf = (components: readonly Encoded[]): string => {
  let text = ''
  for (const component of components) text += text === '' ? component.text : `,${component.text}`
  return `[${text}]`
}

// The body is written from the texts that are hashed, its members in canonical order; a property holds it to the encoder.
const bodyText = (components: Components): string => {
  const { timeWindow } = components
  const window = timeWindow === undefined ? '' : `,"timeWindow":${canonicalText(timeWindow)}`
  const newNotary = components.newNotary === undefined ? '' : `"newNotary":${partyText(components.newNotary)},`
  return `{"commands":${listOf(components.commands)},"inputs":${listOf(components.inputs)},${newNotary}"notary":${partyText(components.notary)},"outputs":${listOf(components.outputs)},"references":${listOf(components.references)},"salt":${writeText(components.salt)},"signers":${components.signers.text}${window}}`
}

const seal = (components: Components): Transaction => ({
  id: transactionIdOf(components),
  encoded: new Encoded(bodyText(components)),
})

/** What of an output's text is the same for every output of a definition. */
const frames = new WeakMap<AnyStateDefinition, { readonly before: string; readonly after: string }>()

const frameOf = (definition: AnyStateDefinition): { readonly before: string; readonly after: string } => {
  const known = frames.get(definition)
  if (known !== undefined) return known
  const { contract, type, version } = definition
  const frame = {
    before: `{"contract":${canonicalText({ name: contract.name, version: contract.version })},"data":`,
    after: `,"type":${writeText(type)},"version":${writeNumber(version)}}`,
  }
  frames.set(definition, frame)
  return frame
}

const outputText = ({ definition, text }: DraftOutput): Encoded => {
  const { before, after } = frameOf(definition)
  return new Encoded(`${before}${text}${after}`)
}

const refAsText = (ref: StateRef): Encoded => new Encoded(refText(ref))

const draftComponents = (draft: TransactionBuilder, notary: Party, salt: string): Components => ({
  inputs: draft.inputs.map(refAsText),
  references: draft.references.map(refAsText),
  outputs: draft.outputs.map(outputText),
  commands: draft.commands.map(({ text }) => new Encoded(text)),
  signers: asText(draft.commands.map(({ signers }) => signers)),
  notary,
  salt,
  timeWindow: draft.window,
})

/** Seals what a builder has gathered: no part of it is encoded a second time. */
export const sealDraft = (draft: TransactionBuilder, notary: Party, salt: string): Transaction =>
  seal(draftComponents(draft, notary, salt))

const encodeComponents = (body: TransactionBody): Components => ({
  inputs: body.inputs.map(asText),
  references: body.references.map(asText),
  outputs: body.outputs.map(asText),
  commands: body.commands.map(asText),
  signers: asText(body.signers),
  notary: body.notary,
  newNotary: body.newNotary,
  salt: body.salt,
  timeWindow: body.timeWindow,
})

type Sealed = { readonly components: Components; readonly transaction: Transaction }

/** Bodies never change, and one that is signed, notarised and recorded is sealed at every turn. */
const sealed = new WeakMap<TransactionBody, Sealed>()

const keepSealed = (body: TransactionBody, seals: Sealed): Sealed => {
  sealed.set(body, seals)
  rememberText(body, seals.transaction.encoded)
  return seals
}

const sealsOf = (body: TransactionBody): Sealed => {
  const known = sealed.get(body)
  if (known !== undefined) return known
  const components = encodeComponents(body)
  return keepSealed(body, { components, transaction: seal(components) })
}

/** Seals a decoded body again, to check its id. */
export const sealBody = (body: TransactionBody): Transaction => sealsOf(body).transaction

/** The components of a decoded body as canonical text. */
export const componentsOf = (body: TransactionBody): Components => sealsOf(body).components

/** The data of an output as canonical text: what lies between the parts of the component that stand around it. */
export const outputDataText = (body: TransactionBody, { contract, type, version }: Output, index: number): string => {
  const { text } = componentsOf(body).outputs[index] ?? asText(null)
  const before = `{"contract":${canonicalText(contract)},"data":`
  const after = `,"type":${writeText(type)},"version":${writeNumber(version)}}`
  return text.slice(before.length, text.length - after.length)
}

/** The body of a draft that was sealed, as others are shown it. */
export const bodyOfDraft = (
  draft: TransactionBuilder,
  notary: Party,
  salt: string,
  transaction: Transaction,
): TransactionBody => {
  const body = JSON.parse(transaction.encoded.text) as TransactionBody
  keepSealed(body, { components: draftComponents(draft, notary, salt), transaction })
  return body
}
