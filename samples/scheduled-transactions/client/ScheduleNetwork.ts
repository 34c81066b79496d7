/**
 * The network as a program uses it: submit transactions, ask about schedules, records and balances. Every answer is
 * durable, and says what was done or the name of the reason why not.
 */
import type { Json, Node } from 'carillon'
import type { NetworkApp } from '../app.js'
import { OpenNetwork, SetParameters } from '../flows/govern.js'
import { GetCapacity, GetRecord, ScheduleGetHistory, ScheduleGetInfo, type QueryHeader } from '../flows/queries.js'
import { ScheduleDelete } from '../flows/transactions.js'
import type { AccountID, LedgerID, ScheduleID, Timestamp, TopicID, TransactionID } from '../model/ids.js'
import type { KeyTree } from '../model/KeyTree.js'
import { plain } from '../model/plain.js'
import { meaningOf, type ResponseCode } from '../model/ResponseCode.js'
import { defaultSettings, type NetworkParameters, type Settings } from '../model/Settings.js'
import type { ScheduleDelete as Deletion, SignedTransaction } from '../model/TransactionBody.js'
import type { ScheduleCreate, ScheduleSign } from '../model/TransactionBody.js'
import type { Response } from '../model/TransactionRecord.js'
import { Account, Network, theNetwork, Topic } from '../states.js'
import type { Wallet } from './Wallet.js'

const must = ({ status }: { readonly status: ResponseCode }, what: string): void => {
  if (status !== 'SUCCESS') throw new Error(`${what}: ${status}. ${meaningOf(status)}`)
}

export class ScheduleNetwork {
  readonly #node: Node
  readonly #flows: NetworkApp['flows']

  private constructor(
    node: Node,
    flows: NetworkApp['flows'],
    /** What wallets sign for this network, and for no other. */
    readonly ledgerID: LedgerID,
  ) {
    this.#node = node
    this.#flows = flows
  }

  /** Opens the network on a node; on a node that has one, everything stays as it is. */
  static async open(
    node: Node,
    { flows }: NetworkApp,
    options: { readonly key: KeyTree; readonly supply?: number; readonly settings?: NetworkParameters },
  ): Promise<ScheduleNetwork> {
    const { key, supply = 5_000_000_000, settings = defaultSettings } = options
    const { ledgerID = '', ...opened } = await node.run(OpenNetwork, { settings, key, supply })
    must(opened, 'The network cannot be opened')
    return new ScheduleNetwork(node, flows, ledgerID)
  }

  create(signed: SignedTransaction<ScheduleCreate>): Promise<Response> {
    return this.#node.run(this.#flows.ScheduleCreate, signed)
  }

  sign(signed: SignedTransaction<ScheduleSign>): Promise<Response> {
    return this.#node.run(this.#flows.ScheduleSign, signed)
  }

  delete(signed: SignedTransaction<Deletion>): Promise<Response> {
    return this.#node.run(ScheduleDelete, signed)
  }

  /** Any other transaction. */
  submit(signed: SignedTransaction<Json>): Promise<Response> {
    return this.#node.run(this.#flows.Submit, signed)
  }

  /** Has an account opened by whoever pays for it; gives its id. */
  async openAccount(payer: Wallet, key: KeyTree, initialBalance: number, now: Timestamp): Promise<AccountID> {
    const operation = plain({ kind: 'cryptoCreateAccount', key, initialBalance })
    const { receipt, status } = await this.submit(payer.transaction(operation, now))
    must({ status }, 'The account cannot be opened')
    return receipt?.accountID ?? ''
  }

  /** Where questions cost something, the header brings the payment. */
  info(schedule?: ScheduleID, header: QueryHeader = {}) {
    return this.#node.run(ScheduleGetInfo, { schedule, header })
  }

  history(schedule?: ScheduleID) {
    return this.#node.run(ScheduleGetHistory, { schedule })
  }

  record(transactionID: TransactionID) {
    return this.#node.run(GetRecord, { transactionID })
  }

  capacity(second: number, kind: string) {
    return this.#node.run(GetCapacity, { second, kind })
  }

  async settings(): Promise<Settings> {
    const network = await this.#node.find(Network, theNetwork)
    if (network === undefined) throw new Error('The network has not been opened.')
    return network.data.settings
  }

  async setParameters(changes: Partial<NetworkParameters>): Promise<void> {
    const settings = { ...(await this.settings()), ...changes }
    must(await this.#node.run(SetParameters, { settings }), 'The parameters cannot be set')
  }

  async account(id: AccountID) {
    return (await this.#node.find(Account, id))?.data
  }

  async balance(id: AccountID): Promise<number | undefined> {
    return (await this.account(id))?.balance
  }

  async topic(id: TopicID) {
    return (await this.#node.find(Topic, id))?.data
  }
}
