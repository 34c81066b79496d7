/**
 * A transaction as it is recorded, hashed and signed. Components are kept as canonical text, so that what was
 * hashed, what is in the log and what the views hold are the same bytes.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { JsonC } from '../encoding/JsonC.js'
import { canonicalText, Encoded } from '../encoding/canonical.js'
import { PartyC, type Party } from '../identity/Party.js'
import { KeyC } from '../identity/Key.js'
import { StateRefC } from './StateRef.js'
import { TimeWindowC } from './TimeWindow.js'
import { transactionIdOf, type Components } from './componentTree.js'
import type { TransactionBuilder } from './TransactionBuilder.js'
import type { TransactionId } from './TransactionId.js'

const ContractNameC = t.strict({ name: t.string, version: IntegerC })

/** An output: encoded data, the type and version that read it, and the contract version that governs it. */
export const OutputC = t.readonly(
  t.strict({ type: t.string, version: IntegerC, contract: ContractNameC, data: JsonC }),
  'Output',
)
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

const seal = (components: Components): Transaction => ({
  id: transactionIdOf(components),
  encoded: new Encoded(canonicalText(components)),
})

const asText = (component: unknown): Encoded => new Encoded(canonicalText(component))

/** Seals what a builder has gathered: no part of it is encoded a second time. */
export const sealDraft = (draft: TransactionBuilder, notary: Party, salt: string): Transaction =>
  seal({
    inputs: draft.inputs.map(asText),
    references: draft.references.map(asText),
    outputs: draft.outputs.map(({ definition, text }) =>
      asText({
        contract: { name: definition.contract.name, version: definition.contract.version },
        data: new Encoded(text),
        type: definition.type,
        version: definition.version,
      }),
    ),
    commands: draft.commands.map(({ text }) => new Encoded(text)),
    signers: asText(draft.commands.map(({ signers }) => signers)),
    notary,
    salt,
    timeWindow: draft.window,
  })

/** The components of a decoded body as canonical text. */
export const componentsOf = (body: TransactionBody): Components => ({
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

/** Seals a decoded body again, to check its id. */
export const sealBody = (body: TransactionBody): Transaction => seal(componentsOf(body))
