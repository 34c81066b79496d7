/**
 * A tear-off: some components of a transaction with the proof that they belong to it. Whoever holds one can
 * check it against the transaction's id, and sign the whole having seen the part.
 */
import * as t from 'io-ts'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { IntegerC } from '../encoding/IntegerC.js'
import { decodeWith } from '../encoding/decode.js'
import { HashC } from '../encoding/hash.js'
import { proofOfMany, topFromProof } from '../encoding/wideTree.js'
import { CarillonError } from '../errors/CarillonError.js'
import { KeyC, primitiveKeys, type Key } from '../identity/Key.js'
import { PartyC, type Party } from '../identity/Party.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { ledgerLimits } from './limits.js'
import { decodeCommandData, type CommandDefinition } from './Command.js'
import { componentHash, componentTexts, headerOf, idFrom, leavesOf, nonceOf, type Components } from './componentTree.js'
import { StateRefC, type StateRef } from './StateRef.js'
import { TimeWindowC, type TimeWindow } from './TimeWindow.js'
import { OutputC, type Output } from './Transaction.js'
import { TransactionIdC, type TransactionId } from './TransactionId.js'

/** The nonce has one form: with any other, the text hashed could be cut apart in another place. */
const NonceC = t.refinement(t.string, (nonce) => /^[0-9a-f]{32}$/.test(nonce), 'Nonce')

const RevealedC = t.readonly(t.strict({ place: IntegerC, text: t.string, nonce: NonceC }))

export const TearOffC = t.readonly(
  t.strict({
    id: TransactionIdC,
    /** Always shown: how many components of each kind there are, the notary, and the time window. */
    header: t.string,
    revealed: t.readonlyArray(RevealedC),
    /** One for all that is revealed: a notary is shown a thousand inputs, and a path for each would be long. */
    proof: t.readonlyArray(HashC),
  }),
  'TearOff',
)
export type TearOff = t.TypeOf<typeof TearOffC>

/** The groups of components, in the order of their leaves. */
export type Group = 'inputs' | 'references' | 'outputs' | 'commands' | 'signers'

/** Which components to show: a predicate over the group and the place within it. */
export type Reveal = (group: Group, index: number) => boolean

/** Whoever makes a tear-off writes its header: a count is not believed, nor room made for it, beyond what is allowed. */
const CountC = t.refinement(
  IntegerC,
  (count) => count >= 0 && count <= ledgerLimits.componentsPerTransaction,
  `Count up to ${ledgerLimits.componentsPerTransaction}`,
)

const HeaderC = t.intersection([
  t.strict({
    format: t.literal(1),
    inputs: CountC,
    references: CountC,
    outputs: CountC,
    commands: CountC,
    notary: PartyC,
  }),
  t.exact(t.partial({ timeWindow: TimeWindowC, newNotary: PartyC })),
])

const CommandC = t.strict({ type: t.string, data: t.unknown })

/** What a checked tear-off shows. Groups hold only what was revealed; counts say how much there is. */
export type Visible = {
  readonly id: TransactionId
  readonly notary: Party
  /** The notary its outputs stand under, where that is another one. */
  readonly newNotary: Party | undefined
  readonly timeWindow: TimeWindow | undefined
  readonly counts: {
    readonly inputs: number
    readonly references: number
    readonly outputs: number
    readonly commands: number
  }
  readonly inputs: readonly StateRef[]
  readonly references: readonly StateRef[]
  readonly outputs: readonly Output[]
  readonly commands: readonly { readonly index: number; readonly type: string; readonly data: unknown }[]
  /** For every command, the keys that must sign; undefined when the signers were not revealed. */
  readonly signers: readonly (readonly Key[])[] | undefined
}

const groupsOf = (counts: Visible['counts']): readonly { readonly group: Group; readonly index: number }[] => {
  const range = (group: Group, count: number) => Array.from({ length: count }, (_, index) => ({ group, index }))
  return [
    ...range('inputs', counts.inputs),
    ...range('references', counts.references),
    ...range('outputs', counts.outputs),
    ...range('commands', counts.commands),
    ...range('signers', 1),
  ]
}

const countsOf = (components: Components): Visible['counts'] => ({
  inputs: components.inputs.length,
  references: components.references.length,
  outputs: components.outputs.length,
  commands: components.commands.length,
})

/** Tears off everything but what `reveal` wants shown. */
export const tearOff = (id: TransactionId, components: Components, reveal: Reveal): TearOff => {
  const texts = componentTexts(components)
  const revealed = groupsOf(countsOf(components)).flatMap(({ group, index }, place) =>
    reveal(group, index) ? [{ place, text: texts[place] ?? '', nonce: nonceOf(components.salt, place) }] : [],
  )
  const proof = proofOfMany(
    leavesOf(components),
    revealed.map(({ place }) => place),
  )
  return { id, header: headerOf(components), revealed, proof }
}

const refuse = (what: string): Either<CarillonError, never> =>
  left(new CarillonError('transaction-altered', `The tear-off cannot be trusted: ${what}.`))

/** Checks every proof and decodes what is shown. */
export const checkTearOff = (torn: TearOff): Either<CarillonError, Visible> => {
  const places = new Map(torn.revealed.map(({ place, text }) => [place, text]))
  if (places.size < torn.revealed.length) return refuse('it shows a component twice')
  const leaves = new Map(torn.revealed.map(({ place, text, nonce }) => [place, componentHash(nonce, place, text)]))
  try {
    const header = decodeWith(HeaderC, JSON.parse(torn.header))
    if (isLeft(header)) return refuse(`it does not show a header that can be read: ${header.left.join('; ')}`)
    const counts = header.right
    const groups = groupsOf(counts)
    const top = topFromProof(leaves, groups.length, torn.proof)
    if (top === undefined || idFrom(torn.header, top) !== torn.id)
      return refuse(`what it shows does not belong to transaction ${torn.id}`)
    const shown = (group: Group): readonly { readonly index: number; readonly value: unknown }[] =>
      groups.flatMap((slot, place) => {
        const text = slot.group === group ? places.get(place) : undefined
        return text === undefined ? [] : [{ index: slot.index, value: JSON.parse(text) as unknown }]
      })
    const decodeAll = <A>(codec: t.Type<A, unknown>, group: Group): readonly A[] =>
      shown(group).map(({ value }) => {
        const decoded = decodeWith(codec, value)
        if (isLeft(decoded))
          throw new CarillonError('transaction-altered', `The tear-off cannot be trusted: ${decoded.left.join('; ')}.`)
        return decoded.right
      })
    return right({
      id: torn.id,
      notary: counts.notary,
      newNotary: counts.newNotary,
      timeWindow: counts.timeWindow,
      counts: {
        inputs: counts.inputs,
        references: counts.references,
        outputs: counts.outputs,
        commands: counts.commands,
      },
      inputs: decodeAll(StateRefC, 'inputs'),
      references: decodeAll(StateRefC, 'references'),
      outputs: decodeAll(OutputC, 'outputs'),
      commands: decodeAll(CommandC, 'commands').map((command, place) => ({
        index: shown('commands')[place]?.index ?? place,
        type: command.type,
        data: command.data,
      })),
      signers: decodeAll(t.readonlyArray(t.readonlyArray(KeyC)), 'signers')[0],
    })
  } catch (error) {
    return error instanceof CarillonError ? left(error) : refuse('a component is not JSON')
  }
}

/** The commands of one kind that are shown, their data decoded. */
export const commandsShown = <A>(visible: Visible, definition: CommandDefinition<A>): readonly A[] =>
  visible.commands
    .filter(({ type }) => type === definition.type)
    .map(({ data }) => {
      const decoded = decodeCommandData(definition, data)
      if (isLeft(decoded))
        throw new CarillonError(
          'command-data-invalid',
          `The data of command ${definition.type} does not fit its codec: ${decoded.left}`,
          { command: definition.type },
        )
      return decoded.right
    })

/** Whether everything of a group is shown. */
export const showsAll = (visible: Visible, group: keyof Visible['counts']): boolean =>
  visible[group].length === visible.counts[group]

/** Whether every command that asks for a key's signature is shown; a signer should insist on it. */
export const showsCommandsFor = (visible: Visible, key: PublicKey): boolean =>
  visible.signers?.every(
    (signers, index) =>
      !signers.some((signer) => primitiveKeys(signer).includes(key)) ||
      visible.commands.some((command) => command.index === index),
  ) ?? false
