/**
 * Whether a transaction may be on the ledger, apart from uniqueness, time and signatures: structural rules
 * first, then every contract that governs one of its states, each in the version the state names.
 */
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { CarillonError, messageOf } from '../errors/CarillonError.js'
import { atPlace, codePlaceIn } from '../errors/codePlace.js'
import { ledgerLimits } from './limits.js'
import { both, type ContractDefinition, type Verify, type Violations } from './Contract.js'
import type { LedgerTransaction, ResolvedState } from './LedgerTransaction.js'
import { showRef } from './StateRef.js'
import { windowIsEmpty } from './TimeWindow.js'
import { runCode } from './runningCode.js'

const repeated = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.filter((text, index) => texts.indexOf(text) !== index)),
]

const refsOf = (states: readonly ResolvedState[]): readonly string[] => states.map(({ ref }) => showRef(ref))

/** Tells the common case apart cheaply: one input or none, no references, and nothing odd about the rest. */
const isPlainlySound = ({ inputs, references, outputs, commands, timeWindow }: LedgerTransaction): boolean =>
  inputs.length <= 1 &&
  references.length === 0 &&
  inputs.length + outputs.length > 0 &&
  outputs.length <= ledgerLimits.componentsPerTransaction &&
  commands.length > 0 &&
  commands.length <= ledgerLimits.componentsPerTransaction &&
  commands.every(({ signers }) => signers.length > 0) &&
  timeWindow === undefined

const structuralViolations = (transaction: LedgerTransaction): Violations => {
  const inputs = refsOf(transaction.inputs)
  const references = refsOf(transaction.references)
  const groups = { inputs, references, outputs: transaction.outputs, commands: transaction.commands }
  return [
    ...(inputs.length + transaction.outputs.length === 0 ? ['it neither consumes nor produces a state'] : []),
    ...(transaction.commands.length === 0 ? ['it has no command'] : []),
    ...transaction.commands
      .filter(({ signers }) => signers.length === 0)
      .map(({ type }) => `command ${type} has no signer`),
    ...(inputs.length < 2 ? [] : repeated(inputs).map((ref) => `it consumes ${ref} twice`)),
    ...(references.length < 2 ? [] : repeated(references).map((ref) => `it references ${ref} twice`)),
    ...(references.length === 0
      ? []
      : inputs.filter((ref) => references.includes(ref)).map((ref) => `it both consumes and references ${ref}`)),
    ...(transaction.timeWindow !== undefined && windowIsEmpty(transaction.timeWindow)
      ? ['its time window ends before it begins']
      : []),
    ...Object.entries(groups)
      .filter(([, members]) => members.length > ledgerLimits.componentsPerTransaction)
      .map(
        ([group, members]) =>
          `it has ${members.length} ${group}; at most ${ledgerLimits.componentsPerTransaction} are allowed`,
      ),
  ]
}

const rulesOf = (
  contract: ResolvedState['contract'],
  known: ContractDefinition | undefined,
): Either<CarillonError, Verify> => {
  const rules = known?.rules.get(contract.version)
  if (rules !== undefined) return right(rules)
  const problem =
    known === undefined
      ? `no contract ${contract.name} is installed`
      : `contract ${contract.name} is installed only up to version ${known.version}`
  return left(
    new CarillonError(
      'contract-unknown',
      `A state is governed by ${contract.name} version ${contract.version}, but ${problem}. Install the app version that defines it.`,
      { contract: contract.name, version: contract.version },
    ),
  )
}

const isVerdict = (verdict: unknown): verdict is Either<Violations, void> => {
  if (typeof verdict !== 'object' || verdict === null || !('_tag' in verdict)) return false
  if (verdict._tag === 'Right') return true
  return verdict._tag === 'Left' && 'left' in verdict && Array.isArray(verdict.left)
}

const run = (
  verify: Verify,
  contract: ResolvedState['contract'],
  transaction: LedgerTransaction,
): Either<CarillonError, Either<Violations, void>> => {
  const threw = (what: string, cause?: unknown): Either<CarillonError, never> =>
    left(
      new CarillonError(
        'contract-threw',
        `Contract ${contract.name} version ${contract.version} ${what}`,
        { contract: contract.name },
        cause,
      ),
    )
  try {
    const verdict: unknown = runCode('contract', () => verify(transaction))
    return isVerdict(verdict)
      ? right(verdict)
      : threw('returned something else than an Either of violations. End it with allOf([...]), or right(undefined).')
  } catch (error) {
    return threw(
      `threw instead of returning violations: ${messageOf(error)}${atPlace(codePlaceIn(error))}. Return what is wrong as violations: end it with allOf([...]).`,
      error,
    )
  }
}

/** The contracts that govern what is consumed and produced, each version once. */
const contractsOf = ({ inputs, outputs }: LedgerTransaction): readonly ResolvedState['contract'][] => {
  const found: ResolvedState['contract'][] = []
  for (const states of [inputs, outputs])
    for (const { contract } of states)
      if (!found.some(({ name, version }) => name === contract.name && version === contract.version))
        found.push(contract)
  return found
}

/** Whether an output is made under a version of its contract that is retired at some instant. */
export const makesRetired = (
  { outputs }: Pick<LedgerTransaction, 'outputs'>,
  contractNamed: (name: string) => ContractDefinition | undefined,
): boolean => outputs.some(({ contract: { name, version } }) => contractNamed(name)?.retired.get(version) !== undefined)

/** What is wrong with the versions of contracts that the outputs name: a hole in old rules must not stay open for ever. */
const versionFaults = (
  { inputs, outputs, timeWindow }: LedgerTransaction,
  contractNamed: (name: string) => ContractDefinition | undefined,
): Violations => {
  const faults: string[] = []
  for (const [index, { contract }] of outputs.entries()) {
    const { name, version } = contract
    const newer = inputs.find((input) => input.contract.name === name && input.contract.version > version)
    if (newer !== undefined) {
      faults.push(
        `output ${index} names version ${version} of ${name}, and version ${newer.contract.version} is consumed`,
      )
      continue
    }
    const retired = contractNamed(name)?.retired.get(version)
    if (retired !== undefined && (timeWindow?.until === undefined || timeWindow.until > retired))
      faults.push(
        `output ${index} names version ${version} of ${name}, retired from ${retired} on, and no time window ends by then`,
      )
  }
  return faults
}

/** Verifies against the contracts that `contractNamed` knows. Every violation of every contract is in the error. */
export const verifyTransaction = (
  transaction: LedgerTransaction,
  contractNamed: (name: string) => ContractDefinition | undefined,
): Either<CarillonError, void> => {
  const malformed = isPlainlySound(transaction) ? [] : structuralViolations(transaction)
  if (malformed.length > 0)
    return left(
      new CarillonError('transaction-malformed', `The transaction is malformed: ${malformed.join('; ')}.`, {
        violations: malformed,
      }),
    )

  const rules: { readonly contract: ResolvedState['contract']; readonly verify: Verify }[] = []
  for (const contract of contractsOf(transaction)) {
    const known = rulesOf(contract, contractNamed(contract.name))
    if (isLeft(known)) return known
    rules.push({ contract, verify: known.right })
  }

  const outdated = versionFaults(transaction, contractNamed)
  if (outdated.length > 0)
    return left(
      new CarillonError(
        'contract-outdated',
        `The transaction falls back behind its contracts: ${outdated.join('; ')}.`,
        { violations: outdated },
      ),
    )

  let verdict: Either<Violations, void> = right(undefined)
  for (const { contract, verify } of rules) {
    const found = run(verify, contract, transaction)
    if (isLeft(found)) return found
    verdict = both(verdict, found.right)
  }
  return isLeft(verdict)
    ? left(
        new CarillonError(
          'contract-violated',
          `The transaction breaks ${verdict.left.length === 1 ? 'a rule' : `${verdict.left.length} rules`} of its contract: ${verdict.left.join('; ')}.`,
          { violations: verdict.left },
        ),
      )
    : right(undefined)
}
