/**
 * A wallet for the command line: makes keys and signs transactions, and prints what the flows of the network take. It
 * never talks to a node, so keys need not be where the node is.
 */
import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { JsonC, type Instant } from 'carillon'
import { generateKeyPair, readKeyFile, writeKeyFile, type KeyPair } from 'carillon/keys'
import { signIdentity, usualSpan, Wallet } from '../client/Wallet.js'
import { AccountIDC, LedgerIDC, ScheduleIDC, timestampOf, type AccountID, type LedgerID } from '../model/ids.js'
import type { Identity } from '../model/Identity.js'
import { KeyTreeC, type KeyTree } from '../model/KeyTree.js'
import { plain } from '../../shared/plain.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { defaultSettings } from '../model/Settings.js'
import { builtIn } from '../operations/builtIn.js'
import { mismatchIn, operationsOf } from '../operations/Operation.js'

/** What goes wrong with a file or in a text is said as what is wrong with the word that was given. */
const attempt = <A>(work: () => A): A => {
  try {
    return work()
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error))
  }
}

const reads =
  <A>(codec: t.Type<A, unknown>, what: string, valueOf: (text: string) => unknown = String) =>
  (text: string): A => {
    const decoded = codec.decode(attempt(() => valueOf(text)))
    if (isLeft(decoded)) throw new InvalidArgumentError(`Give ${what}: ${mismatchIn(decoded.left)}.`)
    return decoded.right
  }
const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('Give it as JSON: it is no JSON.')
  }
}
const jsonIn = (file: string): unknown => json(readFileSync(file === '-' ? 0 : file, 'utf8'))

const account = reads(AccountIDC, 'an account such as 0.0.1001')
const schedule = reads(ScheduleIDC, 'a schedule such as 0.0.1004')
const policy = reads(t.keyof({ merge: null, reject: null }), 'merge or reject')
const keyTree = reads(
  KeyTreeC,
  'a key, such as "ed25519:…", {"keyList":[…]} or {"thresholdKey":{"threshold":2,"keys":[…]}}',
  json,
)
const anyOperation = reads(
  t.intersection([t.type({ kind: t.string }), t.record(t.string, JsonC)]),
  'an operation, such as {"kind":"cryptoTransfer","transfers":[…]}',
  json,
)
const known = operationsOf(builtIn)
type Operation = ReturnType<typeof anyOperation>
/** An operation of the network, with what is wrong in it. What an app adds is known to its own node alone. */
const operation = (text: string): Operation => {
  const asked = anyOperation(text)
  const ours = known.get(asked.kind)
  if (ours === undefined && !asked.kind.includes('/'))
    throw new InvalidArgumentError(
      `There is no operation ${asked.kind}. Known are: ${[...known.keys()].join(', ')}; an app's own have a slash in their name.`,
    )
  const read = ours?.read(asked)
  if (read !== undefined && isLeft(read)) throw new InvalidArgumentError(`In ${asked.kind}: ${read.left.why}`)
  return asked
}

const keyFile = (file: string): KeyPair => attempt(() => readKeyFile(file))
const keyFiles = (file: string, before: readonly KeyPair[] = []): readonly KeyPair[] => [...before, keyFile(file)]
const whole = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Give a whole number.')
  return Number(text)
}

/** What `carillon start … ScheduleGetInfo` prints: who signs should see what. */
const InfoC = t.type({
  info: t.type({
    ...{ ledgerID: LedgerIDC, schedule: ScheduleIDC, transactionBody: t.string },
    ...{ payerAccountID: AccountIDC, adminKey: t.union([KeyTreeC, t.null]), memo: t.string },
  }),
})
const info = reads(InfoC, 'the answer to get info', jsonIn)
/** What `carillon start … OpenNetwork` prints: signatures are for one network. */
const NetworkC = t.type({ ledgerID: LedgerIDC })
const network = reads(NetworkC, 'what OpenNetwork has said', jsonIn)

/** What the commands take; each has those that it declares. */
type Options = {
  readonly account: AccountID
  readonly key: readonly KeyPair[]
  readonly network: t.TypeOf<typeof NetworkC>
  readonly info: t.TypeOf<typeof InfoC>
  readonly sign?: readonly KeyPair[]
  readonly until?: number
  readonly payer?: AccountID
  readonly adminKey?: KeyTree
  readonly memo?: string
  readonly nonce?: number
  readonly expiration?: number
  readonly wait?: boolean
}

export type WalletHost = {
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
  readonly now: () => Instant
}

/** Throws a CommanderError instead of ending the process. */
export const walletProgram = ({ print, complain, now }: WalletHost): Command => {
  const program = new Command('signatures')
    .description('Makes keys and signs transactions. What is printed is for: carillon start <flow> - --store <folder>')
    .exitOverride()
    .configureOutput({ writeErr: complain })
  const printJson = (value: unknown): void => print(JSON.stringify(plain(value)))
  const seconds = () => timestampOf(now())
  /** A command that prints a signed transaction for a flow. */
  const paying = (name: string, flow: string, what: string): Command =>
    program
      .command(name)
      .description(`${what}; for scheduled-transactions/${flow}`)
      .requiredOption('--account <id>', 'the account that pays', account)
      .requiredOption('--key <file>', 'its key; again for another key that signs the transaction', keyFiles)
  const forNetwork = (command: Command): Command =>
    command.requiredOption('--network <file>', 'what OpenNetwork has said; - reads it from stdin', network)
  const signing = (command: Command): Command =>
    command
      .option('--sign <file>', 'a key that signs the schedule (policy merge); again for more', keyFiles)
      .option('--until <seconds>', 'the last second in which they count, since 1970; default: in half an hour', whole)
  const signed = (ledgerID: LedgerID, options: Options, asked: object) =>
    new Wallet(ledgerID, options.account, options.key).transaction(asked, seconds())
  const signatures = (ledgerID: LedgerID, identity: Identity, { sign, until }: Options) => {
    const usual = usualSpan(seconds())
    return sign?.map((key) => signIdentity(ledgerID, key, identity, { ...usual, until: until ?? usual.until }))
  }

  program
    .command('key <file>')
    .description('make a key, and print its public half')
    .action((file: string) => {
      const pair = generateKeyPair()
      writeKeyFile(file, pair)
      print(pair.publicKey)
    })

  program
    .command('open')
    .description('open a network; for scheduled-transactions/OpenNetwork')
    .requiredOption('--key <file>', 'the key of the treasury', keyFile)
    .option('--policy <policy>', 'merge or reject', policy, 'merge')
    .option('--supply <amount>', 'what the treasury begins with', whole, 5_000_000_000)
    .action((options: { key: KeyPair; policy: 'merge' | 'reject'; supply: number }) => {
      const settings = { ...defaultSettings, onIdentical: options.policy }
      printJson({ settings, key: options.key.publicKey, supply: options.supply })
    })

  program
    .command('operations')
    .description('the kinds of operations, each with an example')
    .action(() => {
      for (const { kind, example } of known.values()) {
        const schedulable = defaultSettings.whitelist.includes(kind) ? '' : '   (not on the whitelist of a new network)'
        print(`${JSON.stringify(example)}${schedulable}`)
      }
    })

  forNetwork(paying('submit', 'Submit', 'a transaction that is done at once'))
    .argument('<operation>', 'what to do, as JSON', operation)
    .action((asked: Operation, options: Options) => printJson(signed(options.network.ledgerID, options, asked)))

  signing(forNetwork(paying('create', 'ScheduleCreate', 'schedule a transaction')))
    .argument('<operation>', 'what to do when the signatures are there, as JSON', operation)
    .option('--payer <id>', 'the account that pays for the execution', account)
    .option('--admin-key <key>', 'who may delete it, as JSON', keyTree)
    .option('--memo <text>', 'a memo')
    .option('--nonce <number>', 'tells equal transactions apart', whole, 0)
    .option('--expiration <seconds>', 'when it expires, in seconds since 1970', whole)
    .option('--wait', 'wait for its expiration, however complete it is')
    .action((asked: Operation, options: Options) => {
      const { payer, adminKey, memo, nonce = 0, expiration, wait, account: own } = options
      const { ledgerID } = options.network
      const body = transactionBody(asked, { nonce })
      const identity = { transactionBody: body, payer: payer ?? own, adminKey: adminKey ?? null, memo: memo ?? '' }
      const sigMap = signatures(ledgerID, identity, options)
      const terms = { expirationTime: expiration, waitForExpiry: wait }
      const create = { kind: 'scheduleCreate', transactionBody: body, payer, adminKey, memo, ...terms, sigMap }
      printJson(signed(ledgerID, options, create))
    })

  signing(paying('sign', 'ScheduleSign', 'sign a schedule, or only have it looked at again'))
    .requiredOption('--info <file>', 'what get info says of it; - reads it from stdin', info)
    .action((options: Options) => {
      const {
        ledgerID,
        schedule: scheduleID,
        transactionBody: body,
        payerAccountID,
        adminKey,
        memo,
      } = options.info.info
      const identity = { transactionBody: body, payer: payerAccountID, adminKey, memo }
      const sigMap = signatures(ledgerID, identity, options)
      printJson(signed(ledgerID, options, { kind: 'scheduleSign', scheduleID, sigMap }))
    })

  forNetwork(paying('info', 'ScheduleGetInfo', 'pay for get info, where questions cost something'))
    .argument('<schedule>', 'its number', schedule)
    .action((id: string, options: Options) => {
      const payment = signed(options.network.ledgerID, options, { kind: 'scheduleGetInfo', schedule: id })
      printJson({ header: { payment }, schedule: id })
    })

  forNetwork(paying('delete', 'ScheduleDelete', 'take a schedule back; the admin key is one of the keys'))
    .argument('<schedule>', 'its number', schedule)
    .action((id: string, options: Options) =>
      printJson(signed(options.network.ledgerID, options, { kind: 'scheduleDelete', schedule: id })),
    )

  return program
}
