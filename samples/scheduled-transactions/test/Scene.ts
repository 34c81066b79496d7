/**
 * The scene of the acceptance lines: a network in memory with a rich default payer D, people who are made as they are
 * needed, and requests in one line. The same line speaks to either policy: signatures on a schedule go into its own
 * map under `merge`, and onto the transaction under `reject`.
 */
import { createHash } from 'node:crypto'
import { instant, plus, type PublicKey } from 'carillon'
import type { KeyPair } from 'carillon/keys'
import { keyPairFromSeed, VirtualNode } from 'carillon/testing'
import { scheduledTransactions, type NetworkApp, type NetworkOptions } from '../app.js'
import { ScheduleNetwork } from '../client/ScheduleNetwork.js'
import { signIdentity, usualSpan, Wallet, type Signing } from '../client/Wallet.js'
import { timestampOf, type AccountID, type ScheduleID, type Timestamp } from '../model/ids.js'
import type { Identity } from '../model/Identity.js'
import type { KeyTree } from '../model/KeyTree.js'
import { plain } from '../../shared/plain.js'
import { transactionBody } from '../model/ScheduledBody.js'
import { defaultSettings, treasury, type NetworkParameters } from '../model/Settings.js'
import type { SigPair } from '../model/SignatureMap.js'
import type { ScheduleCreate } from '../model/TransactionBody.js'
import type { Response } from '../model/TransactionRecord.js'

/** A key by name, the same in every test. */
export const keyPair = (name: string): KeyPair => {
  const known = pairs.get(name)
  if (known !== undefined) return known
  const pair = keyPairFromSeed(createHash('sha256').update(name).digest('hex'))
  pairs.set(name, pair)
  return pair
}
const pairs = new Map<string, KeyPair>()
export const key = (name: string): PublicKey => keyPair(name).publicKey

export type CreateOptions = Signing & {
  /** Who pays for the create. Default D. */
  readonly as?: string
  readonly payer?: string
  readonly adminKey?: KeyTree
  readonly entityMemo?: string
  /** Names of the keys that sign the schedule. */
  readonly signs?: readonly string[]
  /** Signatures as they are, besides those. */
  readonly sigMap?: readonly SigPair[]
  readonly expirationTime?: number | string
  readonly waitForExpiry?: boolean
}

export type SignOptions = Signing & { readonly as?: string; readonly sigMap?: readonly SigPair[] }

export type SceneOptions = NetworkOptions & { readonly settings?: Partial<NetworkParameters>; readonly party?: string }

export const start = instant('2026-01-01T00:00:00Z')
export const startSecond = timestampOf(start).seconds

export class Scene {
  readonly #wallets = new Map<string, Wallet>()
  readonly #schedules = new Map<ScheduleID, Identity>()
  #nanos = 0

  private constructor(
    readonly virtual: VirtualNode,
    readonly app: NetworkApp,
    readonly settings: NetworkParameters,
    public network: ScheduleNetwork,
  ) {}

  static async open(options: SceneOptions = {}): Promise<Scene> {
    const app = scheduledTransactions(options)
    const settings = { ...defaultSettings, ...options.settings }
    const virtual = await VirtualNode.start({ app: app.app, start, party: options.party ?? 'Operator' })
    const network = await ScheduleNetwork.open(virtual.node, app, { key: key('treasury'), settings })
    const scene = new Scene(virtual, app, settings, network)
    scene.#wallets.set('treasury', scene.#wallet(treasury, ['treasury']))
    await scene.person('D', { balance: 1_000_000 })
    return scene
  }

  /** A scene in which some people have an account already. */
  static async withPeople(names: readonly string[], options: SceneOptions = {}): Promise<Scene> {
    const scene = await Scene.open(options)
    await scene.people(...names)
    return scene
  }

  get now(): Timestamp {
    return timestampOf(this.virtual.now)
  }

  get second(): number {
    return this.now.seconds
  }

  pass(seconds: number): Promise<void> {
    return this.virtual.advanceBy({ seconds })
  }

  /** The node is down for so long; then it comes up again. */
  async downFor(seconds: number): Promise<void> {
    await this.virtual.crash()
    const until = plus(this.virtual.now, { seconds })
    this.virtual.clock.setTo(Date.parse(until))
    const node = await this.virtual.restart()
    this.network = await ScheduleNetwork.open(node, this.app, { key: key('treasury') })
    await this.virtual.runUntilQuiet()
  }

  #wallet(accountID: AccountID, keys: readonly string[]): Wallet {
    return new Wallet(this.network.ledgerID, accountID, keys.map(keyPair), () => this.#nanos++)
  }

  /** Makes an account, by default with one key of its own name and a balance of 1,000. */
  async person(
    name: string,
    options: {
      readonly key?: KeyTree
      /** The keys its transactions are signed with. */
      readonly keys?: readonly string[]
      readonly balance?: number
      readonly receiverSigRequired?: boolean
    } = {},
  ): Promise<AccountID> {
    const { keys = [name], balance = 1_000, receiverSigRequired = false } = options
    const accountKey = options.key ?? key(name)
    const response = await this.submit(
      { kind: 'cryptoCreateAccount', key: accountKey, initialBalance: balance, receiverSigRequired },
      { as: 'treasury', with: receiverSigRequired ? keys : [] },
    )
    const accountID = response.receipt?.accountID
    if (accountID === undefined) throw new Error(`${name} could not be made: ${response.status}`)
    this.#wallets.set(name, this.#wallet(accountID, keys))
    return accountID
  }

  async people(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.person(name)
  }

  wallet(name: string): Wallet {
    const wallet = this.#wallets.get(name)
    if (wallet === undefined) throw new Error(`Nobody is called ${name}.`)
    return wallet
  }

  id(name: string): AccountID {
    return this.wallet(name).accountID
  }

  async balance(name: string): Promise<number> {
    return (await this.network.balance(this.id(name))) ?? NaN
  }

  async balances(...names: readonly string[]): Promise<readonly number[]> {
    return Promise.all(names.map((name) => this.balance(name)))
  }

  /** A transaction that is done at once, signed by its payer and by some keys. */
  submit(
    operation: { readonly kind: string } & Readonly<Record<string, unknown>>,
    options: Signing & { readonly as?: string; readonly with?: readonly string[] } = {},
  ): Promise<Response> {
    const { as = 'D', with: keys = [], ...signing } = options
    const alsoSigning = [...keys.map(keyPair), ...(signing.alsoSigning ?? [])]
    return this.network.submit(this.wallet(as).transaction(plain(operation), this.now, { ...signing, alsoSigning }))
  }

  /** Changes the key of an account, and with it the keys its transactions are signed with. */
  async rekey(name: string, newKey: KeyTree, old: readonly string[], fresh: readonly string[]): Promise<void> {
    const response = await this.submit(
      { kind: 'cryptoUpdateAccount', accountID: this.id(name), key: newKey },
      { as: 'treasury', with: [...new Set([...old, ...fresh])] },
    )
    if (response.status !== 'SUCCESS') throw new Error(`${name} keeps its key: ${response.status}`)
    this.#wallets.set(name, this.#wallet(this.id(name), fresh))
  }

  /** The text of a transfer from one to another. */
  transfer(from: string, to: string, amount: number, more: Parameters<typeof transactionBody>[1] = {}): string {
    return this.transfers({ [from]: -amount, [to]: amount }, more)
  }

  transfers(amounts: Readonly<Record<string, number>>, more: Parameters<typeof transactionBody>[1] = {}): string {
    const transfers = Object.entries(amounts).map(([name, amount]) => ({ accountID: this.id(name), amount }))
    return transactionBody({ kind: 'cryptoTransfer', transfers }, more)
  }

  #identity(body: string | undefined, options: CreateOptions): Identity {
    return {
      transactionBody: body ?? '',
      adminKey: options.adminKey ?? null,
      memo: options.entityMemo ?? '',
      payer: this.id(options.payer ?? options.as ?? 'D'),
    }
  }

  /** The signature of a key on the schedule that a create would make. */
  signature(name: string, body: string, options: CreateOptions = {}): SigPair {
    return this.#signature(name, this.#identity(body, options), options)
  }

  #signature(name: string, identity: Identity, { digits }: Signing): SigPair {
    const signing = { ...usualSpan(this.now), ...(digits === undefined ? {} : { digits }) }
    return signIdentity(this.network.ledgerID, keyPair(name), identity, signing)
  }

  async create(body: string | undefined, options: CreateOptions = {}): Promise<Response> {
    const {
      as = 'D',
      signs = [],
      sigMap,
      payer,
      adminKey,
      entityMemo,
      expirationTime,
      waitForExpiry,
      ...signing
    } = options
    const identity = this.#identity(body, options)
    const isMerging = this.settings.onIdentical === 'merge'
    const map = [...(sigMap ?? []), ...(isMerging ? signs.map((name) => this.#signature(name, identity, options)) : [])]
    const operation: ScheduleCreate = {
      kind: 'scheduleCreate',
      ...(body === undefined ? {} : { transactionBody: body }),
      ...(payer === undefined ? {} : { payer: this.id(payer) }),
      ...(adminKey === undefined ? {} : { adminKey }),
      ...(entityMemo === undefined ? {} : { memo: entityMemo }),
      ...(map.length === 0 ? {} : { sigMap: map }),
      ...(expirationTime === undefined ? {} : { expirationTime }),
      ...(waitForExpiry === undefined ? {} : { waitForExpiry }),
    }
    const alsoSigning = [...(signing.alsoSigning ?? []), ...(isMerging ? [] : signs.map(keyPair))]
    const response = await this.network.create(
      this.wallet(as).transaction(operation, this.now, { ...signing, alsoSigning }),
    )
    const id = response.receipt?.schedule
    if (id !== undefined && !this.#schedules.has(id)) this.#schedules.set(id, identity)
    return response
  }

  /** As {@link create}, where it must not be refused. */
  async created(body: string, options: CreateOptions = {}): Promise<ScheduleID> {
    const { status, receipt } = await this.create(body, options)
    if (status !== 'SUCCESS' || receipt?.schedule === undefined) throw new Error(`Refused: ${status}`)
    return receipt.schedule
  }

  sign(id: ScheduleID | undefined, names: readonly string[] = [], options: SignOptions = {}): Promise<Response> {
    const { as = 'D', sigMap, ...signing } = options
    const isMerging = this.settings.onIdentical === 'merge'
    const identity = id === undefined ? undefined : this.#schedules.get(id)
    const signatures = identity === undefined ? [] : names.map((name) => this.#signature(name, identity, options))
    const map = [...(sigMap ?? []), ...(isMerging ? signatures : [])]
    const operation = {
      kind: 'scheduleSign' as const,
      ...(id === undefined ? {} : { scheduleID: id }),
      ...(map.length === 0 ? {} : { sigMap: map }),
    }
    const alsoSigning = [...(signing.alsoSigning ?? []), ...(isMerging ? [] : names.map(keyPair))]
    return this.network.sign(this.wallet(as).transaction(operation, this.now, { ...signing, alsoSigning }))
  }

  delete(id: ScheduleID | undefined, names: readonly string[] = [], options: SignOptions = {}): Promise<Response> {
    const { as = 'D', ...signing } = options
    const operation = { kind: 'scheduleDelete' as const, ...(id === undefined ? {} : { schedule: id }) }
    const alsoSigning = [...(signing.alsoSigning ?? []), ...names.map(keyPair)]
    return this.network.delete(this.wallet(as).transaction(operation, this.now, { ...signing, alsoSigning }))
  }

  async infoStatus(id?: ScheduleID): Promise<string> {
    return (await this.network.info(id)).status
  }

  /** How a schedule ended, if it did. */
  async ended(id: ScheduleID): Promise<string | undefined> {
    return (await this.network.history(id)).history?.end?.as
  }

  /** What the execution of a schedule came to, if there was one. */
  async result(id: ScheduleID): Promise<string | undefined> {
    return (await this.network.history(id)).history?.execution?.receipt.status
  }

  /** How many unconsumed states of each kind there are. */
  async count(type: string): Promise<number> {
    const { items } = await this.virtual.node.queryVault({ type: `scheduled-transactions/${type}`, limit: 1_000 })
    return items.length
  }
}

export const statusOf = async (response: Promise<Response>): Promise<string> => (await response).status
