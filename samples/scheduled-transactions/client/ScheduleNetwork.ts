/**
 * The network as a program uses it: submit transactions, ask about schedules, records and balances. Every answer is
 * durable, and says what was done or the name of the reason why not.
 */
import type { FlowDefinition, Node, StateDefinition } from 'carillon'
import type { NetworkApp } from '../app.js'
import { OpenNetwork, SetParameters } from '../flows/govern.js'
import { GetCapacity, GetRecord, ScheduleGetHistory, ScheduleGetInfo, type QueryHeader } from '../flows/queries.js'
import { ScheduleDelete } from '../flows/transactions.js'
import type { AccountID, LedgerID, ScheduleID, Timestamp, TopicID, TransactionID } from '../model/ids.js'
import type { KeyTree } from '../model/KeyTree.js'
import { plain } from '../../shared/plain.js'
import { meaningOf, type ResponseCode } from '../model/ResponseCode.js'
import { defaultSettings, type NetworkParameters, type Settings } from '../model/Settings.js'
import { Account, Network, theNetwork, Topic } from '../states.js'
import type { Wallet } from './Wallet.js'

const must = ({ status }: { readonly status: ResponseCode }, what: string): void => {
  if (status !== 'SUCCESS') throw new Error(`${what}: ${status}. ${meaningOf(status)}`)
}

/** The network on a node; wallets sign for its ledger id, and for no other. */
const networkOn = (node: Node, flows: NetworkApp['flows'], ledgerID: LedgerID) => {
  const running =
    <I, A>(flow: FlowDefinition<I, A>) =>
    (input: I): Promise<A> =>
      node.run(flow, input)
  const find = async <A>(definition: StateDefinition<A>, key: string): Promise<A | undefined> =>
    (await node.find(definition, key))?.data
  const submit = running(flows.Submit)
  const settings = async (): Promise<Settings> => {
    const network = await find(Network, theNetwork)
    if (network === undefined) throw new Error('The network has not been opened.')
    return network.settings
  }
  return {
    ledgerID,
    create: running(flows.ScheduleCreate),
    sign: running(flows.ScheduleSign),
    delete: running(ScheduleDelete),
    /** Any other transaction. */
    submit,

    /** Has an account opened by whoever pays for it; gives its id. */
    openAccount: async (payer: Wallet, key: KeyTree, initialBalance: number, now: Timestamp): Promise<AccountID> => {
      const operation = plain({ kind: 'cryptoCreateAccount', key, initialBalance })
      const { receipt, status } = await submit(payer.transaction(operation, now))
      must({ status }, 'The account cannot be opened')
      return receipt?.accountID ?? ''
    },

    /** Where questions cost something, the header brings the payment. */
    info: (schedule?: ScheduleID, header: QueryHeader = {}) => node.run(ScheduleGetInfo, { schedule, header }),
    history: (schedule?: ScheduleID) => node.run(ScheduleGetHistory, { schedule }),
    record: (transactionID: TransactionID) => node.run(GetRecord, { transactionID }),
    capacity: (second: number, kind: string) => node.run(GetCapacity, { second, kind }),

    settings,
    setParameters: async (changes: Partial<NetworkParameters>): Promise<void> => {
      const changed = { settings: { ...(await settings()), ...changes } }
      must(await node.run(SetParameters, changed), 'The parameters cannot be set')
    },

    account: (id: AccountID) => find(Account, id),
    balance: async (id: AccountID) => (await find(Account, id))?.balance,
    topic: (id: TopicID) => find(Topic, id),
  }
}
export type ScheduleNetwork = ReturnType<typeof networkOn>

export const ScheduleNetwork = {
  /** Opens the network on a node; on a node that has one, everything stays as it is. */
  open: async (
    node: Node,
    { flows }: NetworkApp,
    options: { readonly key: KeyTree; readonly supply?: number; readonly settings?: NetworkParameters },
  ): Promise<ScheduleNetwork> => {
    const { key, supply = 5_000_000_000, settings = defaultSettings } = options
    const { ledgerID = '', ...opened } = await node.run(OpenNetwork, { settings, key, supply })
    must(opened, 'The network cannot be opened')
    return networkOn(node, flows, ledgerID)
  },
}
