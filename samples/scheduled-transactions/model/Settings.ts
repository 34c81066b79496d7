/**
 * The network's parameters: what it takes, for how long, at which pace and price. They are a state of the ledger, so
 * every schedule was judged by parameters that can be looked up.
 */
import * as t from 'io-ts'
import { IntegerC, PartyC } from 'carillon'
import { record } from '../../shared/record.js'
import { LedgerIDC, numberOf, type AccountID } from './ids.js'

/** What an operation costs. The service part is what executing it takes; the base is what any transaction takes. */
const PriceC = record('Price', { base: IntegerC, service: IntegerC })

const parameters = {
  /** What happens to a create that is identical with an earlier one: it joins it, or it is refused. */
  onIdentical: t.keyof({ merge: null, reject: null }),
  /** How long a schedule lives that has no expiration time of its own. */
  txExpiryTimeSecs: IntegerC,
  /** Whether schedules may have expiration times and wait for them. */
  longTerm: t.boolean,
  /** The furthest expiration time, from the create. */
  maxExpirationSecs: IntegerC,
  /** Whether a schedule that does not wait is looked at once more when it expires. */
  evaluateAtExpiry: t.boolean,
  /** Kinds of operations that may be scheduled. */
  whitelist: t.readonlyArray(t.string),
  /** Operations a second, by kind; a kind without a number has no limit. */
  buckets: t.readonly(t.record(t.string, IntegerC)),
  /** Cost of what may fall due in one second, and what each kind costs; a kind without a number costs 1. */
  expiryCapacity: IntegerC,
  expiryCosts: t.readonly(t.record(t.string, IntegerC)),
  /** Schedules the network takes at one time. */
  maxSchedules: IntegerC,
  maxTransfers: IntegerC,
  maxMessageBytes: IntegerC,
  maxTransactionBytes: IntegerC,
  /** Prices by kind of operation; a kind without one costs what `price` says. */
  prices: t.readonly(t.record(t.string, PriceC)),
  price: PriceC,
  /** For each signature besides that of the payer, and for each key that an operation names. */
  signaturePrice: IntegerC,
  keyPrice: IntegerC,
} as const

const laterParameters = {
  /** How long a signature on a schedule may say it is good (`merge`). Networks that were opened earlier set no end. */
  signatureSecs: IntegerC,
} as const

/** What the operator may change. */
export const NetworkParametersC = record('NetworkParameters', parameters, laterParameters)
export type NetworkParameters = t.TypeOf<typeof NetworkParametersC>

/** The parameters of one network, which is told from all others by its ledger id. That never changes. */
export const SettingsC = record('Settings', { ...parameters, ledgerID: LedgerIDC }, laterParameters)
export type Settings = t.TypeOf<typeof SettingsC>

export const NetworkC = record('Network', { operator: PartyC, settings: SettingsC })

export const defaultSettings: NetworkParameters = {
  onIdentical: 'merge',
  txExpiryTimeSecs: 1_800,
  longTerm: true,
  maxExpirationSecs: 5_356_800,
  evaluateAtExpiry: false,
  whitelist: ['cryptoTransfer', 'cryptoCreateAccount', 'cryptoUpdateAccount', 'consensusSubmitMessage'],
  buckets: { scheduleCreate: 100, scheduleSign: 1_000, scheduleDelete: 100, scheduleGetInfo: 1_000 },
  expiryCapacity: 100,
  expiryCosts: { cryptoCreateAccount: 10, consensusCreateTopic: 10 },
  maxSchedules: 10_000_000,
  maxTransfers: 200,
  maxMessageBytes: 1_024,
  maxTransactionBytes: 64 * 1_024,
  prices: {
    scheduleCreate: { base: 10, service: 90 },
    scheduleSign: { base: 10, service: 10 },
    scheduleDelete: { base: 10, service: 10 },
    scheduleGetInfo: { base: 0, service: 0 },
    cryptoTransfer: { base: 10, service: 0 },
    cryptoCreateAccount: { base: 10, service: 40 },
  },
  price: { base: 10, service: 5 },
  signaturePrice: 1,
  keyPrice: 1,
  signatureSecs: 86_400,
}

/** What contradicts itself in the settings; undefined when nothing does. */
export const problemWith = (settings: NetworkParameters): string | undefined => {
  const { txExpiryTimeSecs, maxExpirationSecs, price, prices, buckets, expiryCosts } = settings
  if (txExpiryTimeSecs > maxExpirationSecs) return 'a lifetime ends before the furthest expiration'
  if (Object.values(expiryCosts).some((cost) => cost < 1))
    return 'every schedule takes something of its second, so that a second is ever full'
  const all: readonly object[] = [settings, buckets, price, ...Object.values(prices)]
  return all
    .flatMap((each): readonly unknown[] => Object.values(each))
    .some((value) => typeof value === 'number' && value < 0)
    ? 'no limit and no price is negative'
    : undefined
}

/** The entry of a name, and nothing that every object has. */
export const entryOf = <A>(entries: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(entries, name) ? entries[name] : undefined

export const priceOf = (kind: string, { prices, price }: Settings) => entryOf(prices, kind) ?? price

export const expiryCostOf = (kind: string, { expiryCosts }: Settings): number => entryOf(expiryCosts, kind) ?? 1

/**
 * "Implicit limit of pending scheduled transactions": what the throttle lets in during one lifetime. Those that chose
 * their second may live longer: so many a second, and all together no more than the network takes.
 */
export const maxPendingTxns = ({
  buckets,
  txExpiryTimeSecs,
  maxSchedules,
}: NetworkParameters): { readonly ofTheUsualLifetime: number; readonly inAll: number } => {
  const perSecond = buckets['scheduleCreate']
  const usual = perSecond === undefined ? maxSchedules : perSecond * txExpiryTimeSecs
  return { ofTheUsualLifetime: Math.min(usual, maxSchedules), inAll: maxSchedules }
}

/** Where fees go. */
export const feeCollector: AccountID = '0.0.98'
export const treasury: AccountID = '0.0.2'
export const firstEntity = 1_001

/** The network's own accounts are not throttled. */
export const isSystem = (account: AccountID): boolean => numberOf(account) <= 100

export const memoBytes = 100
export const defaultValidDurationSecs = 120
export const longestValidDurationSecs = 180
/** How long a wallet says that its signature on a schedule is good: as long as a schedule usually lives. */
export const usualSignatureSecs = 1_800
