/**
 * A contract: pure rules that accept or reject a transaction. It sees the transaction with its inputs
 * resolved, reads no clock and does no I/O, and names every violation it finds, not only the first.
 */
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { CarillonError } from '../errors/CarillonError.js'
import { instant, type Instant } from '../time/Instant.js'
import { assertName, assertVersion } from './assertName.js'
import type { LedgerTransaction } from './LedgerTransaction.js'

/** Sentences that say which rules a transaction breaks. */
export type Violations = readonly string[]

/** The rules of a contract as one function: what is wrong with a transaction, or nothing. */
export type Verify = (transaction: LedgerTransaction) => Either<Violations, void>

/** A contract in all its versions. Make one with {@link defineContract}. */
export type ContractDefinition = {
  readonly name: string
  readonly version: number
  /** The rules by version: a state keeps the version it was made under. */
  readonly rules: ReadonlyMap<number, Verify>
  /** From when on no state may be made any more under a version. */
  readonly retired: ReadonlyMap<number, Instant>
}

/** What an app writes to define a contract. */
export type ContractOptions = {
  /** A name that stays the same for ever, such as `heartbeat/Heartbeat`. */
  readonly name: string
  /** Counts up when the rules change; states made under older rules keep them. Default 1. */
  readonly version?: number
  /** The rules: a pure function of the transaction, without clock or I/O. */
  readonly verify: Verify
  /** The rules of earlier versions, for states made under them. */
  readonly earlier?: Readonly<Record<number, Verify>>
  /**
   * For earlier versions, the instant from which on no state may be made under them. What makes one must have a time
   * window that ends by then, under a notary of the network. States made before can still be consumed. Default: none.
   */
  readonly retired?: Readonly<Record<number, Instant>>
}

/** Defines a contract; states name it as the one that governs them. */
export const defineContract = (options: ContractOptions): ContractDefinition => {
  assertName('contract', options.name)
  const version = options.version ?? 1
  assertVersion('Contract', options.name, version)
  const rules = new Map<number, Verify>()
  for (let older = 1; older < version; older++) {
    const verify = options.earlier?.[older]
    if (verify === undefined) {
      throw new CarillonError(
        'definition-invalid',
        `Contract ${options.name} is at version ${version} but lacks the rules of version ${older}. Keep them under earlier: { ${older}: … }, since recorded states name them.`,
        { contract: options.name },
      )
    }
    rules.set(older, verify)
  }
  rules.set(version, options.verify)
  const retired = new Map<number, Instant>()
  for (const [older, from] of Object.entries(options.retired ?? {})) {
    if (!rules.has(Number(older)) || Number(older) === version)
      throw new CarillonError(
        'definition-invalid',
        `Contract ${options.name} retires version ${older}; only versions before ${version} can be retired.`,
        { contract: options.name },
      )
    retired.set(Number(older), instant(from))
  }
  return Object.freeze({ name: options.name, version, rules, retired })
}

/** One rule: a sentence that holds, or becomes a violation. The test may be delayed until earlier rules hold. */
export type Rule = Either<string, void>

/** A rule, stated as what must be so. */
export const rule = (sentence: string, holds: boolean): Rule => (holds ? right(undefined) : left(sentence))

/** Accepts when every rule holds; otherwise gathers all that do not. */
export const allOf = (rules: readonly Rule[]): Either<Violations, void> => {
  const broken = rules.filter(isLeft).map(({ left: sentence }) => sentence)
  return broken.length === 0 ? right(undefined) : left(broken)
}

/** Two verdicts as one: every violation of both. */
export const both = (first: Either<Violations, void>, second: Either<Violations, void>): Either<Violations, void> => {
  if (isRight(first)) return second
  return isRight(second) ? first : left([...first.left, ...second.left])
}

const mustSign = (name: string): string =>
  `${name} takes part in the transaction and must be a signer of one of its commands`

/** The default contract: whoever takes part in a state must sign what makes or consumes it. */
export const participantsSign: ContractDefinition = defineContract({
  name: 'carillon/participants-sign',
  verify: ({ participants, signers }) => {
    const unsigned = participants.filter(({ key }) => !signers.has(key))
    if (unsigned.length === 0) return right(undefined)
    return left([...new Map(unsigned.map(({ key, name }) => [key, mustSign(name)])).values()])
  },
})
