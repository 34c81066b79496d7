/**
 * Starts a node: opens its store, makes sure it is its own, records the start, and lets the loop run.
 */
import { randomUUID } from 'node:crypto'
import { Registry } from '../app/Registry.js'
import { CarillonError } from '../errors/CarillonError.js'
import { FlowEngine } from '../engine/FlowEngine.js'
import type { FlowId } from '../log/FlowId.js'
import { generateKeyPair, type KeyPair } from '../identity/KeyPair.js'
import { NetworkMap } from '../identity/NetworkMap.js'
import { ownNetworkId } from '../identity/NetworkId.js'
import { hashOfMap, type NetworkTerms } from '../identity/SignedNetworkMap.js'
import type { Party } from '../identity/Party.js'
import { PublicKeyC, type PublicKey } from '../identity/PublicKey.js'
import type { DomainEvent } from '../log/events.js'
import { instantFromMillis } from '../time/Instant.js'
import { systemClock } from '../time/SystemClock.js'
import { builtInFlows } from './builtInFlows.js'
import { compareWithPeers, isMarked } from '../backup/compareWithPeers.js'
import { assertNewestSigned } from '../engine/assertNewestSigned.js'
import { networkMismatch } from '../folder/assertOwnLog.js'
import { AsyncStepRunner } from '../engine/AsyncStepRunner.js'
import { WatchedCode } from '../engine/CodeWatch.js'
import { EmbeddedStore } from '../storage/EmbeddedStore.js'
import { silentLogger } from '../engine/Logger.js'
import { Loop, type Leadership } from '../engine/Loop.js'
import { HeadKeeper } from '../backup/HeadKeeper.js'
import { LeaseKeeper } from '../engine/LeaseKeeper.js'
import { hostOf } from './Host.js'
import { Node } from './Node.js'
import { nodeLimitsOf } from './NodeLimits.js'
import type { NodeOptions } from './NodeOptions.js'
import { EventFeed } from '../subscription/EventFeed.js'
import { Projections } from '../projection/Projections.js'
import { SqliteProjections } from '../storage/SqliteProjections.js'
import { OutboxSender } from '../transport/OutboxSender.js'
import type { KeyFileOptions } from '../keys/KeyFile.js'
import { followMap, mapsAtHand, mapSerialOf, newKeyChanges } from '../network/followMap.js'
import { assertAnchored } from '../network/assertAnchored.js'
import { MapFile } from '../network/MapFile.js'
import { networkFiles, openNetworkFolder, type NetworkFolder } from '../network/NetworkFolder.js'
import { recoverKey } from '../keys/KeyRotation.js'
import { noteClock } from '../folder/storeClock.js'
import { openLogFolder, openStoreFolder, storeFiles } from '../folder/StoreFolder.js'
import { keptOpen } from '../logs/keptOpen.js'
import type { StorageLimits } from '../storage/limits.js'
import { wantsCopyRevision, withCopyRevision } from '../storage/AwaitedLog.js'
import { LogBackedStore } from '../storage/LogBackedStore.js'
import { copyRevisionIn } from '../folder/copyRevision.js'
import { openLog, whenReachable } from '../logs/openLog.js'
import type { EventLog } from '../log/EventLog.js'
import { TlsTransport } from '../transport/TlsTransport.js'
import { SignatureThreads } from '../transport/SignatureThreads.js'
import { SignedTransactionReader } from '../engine/readSignedTransaction.js'
import { tickStoreOf } from '../storage/OpenStore.js'
import type { TickStore } from '../storage/TickStore.js'
import { timeCommits } from '../engine/timeCommits.js'
import { Watchdog } from './Watchdog.js'

export type Opened = { readonly store: TickStore; readonly key: KeyPair; readonly releaseHold: () => Promise<void> }

const keyOptionsOf = ({ keyPassphrase }: NodeOptions): KeyFileOptions =>
  keyPassphrase === undefined ? {} : { passphrase: keyPassphrase }

/** The party's folder says who the node is and whom it knows; what contradicts that is a mistake. */
const joinNetwork = (folder: string, options: NodeOptions): NodeOptions & { readonly joined: NetworkFolder } => {
  if (options.network !== undefined || options.transport !== undefined || options.key !== undefined)
    throw new CarillonError(
      'definition-invalid',
      'A node with a network folder has its key, its map and its transport from there. Leave out network, transport and key.',
    )
  recoverKey(networkFiles(folder).key, typeof options.store === 'string' ? options.store : folder)
  const joined = openNetworkFolder(folder, keyOptionsOf(options))
  if (options.party !== undefined && options.party !== joined.party.name)
    throw new CarillonError(
      'store-foreign',
      `${folder} is the folder of party ${joined.party.name}; the node was started for ${options.party}. Choose the folder of ${options.party}.`,
      { expected: joined.party.name, actual: options.party },
    )
  const { party, key } = joined
  return { ...options, party: party.name, key, store: options.store ?? folder, joined }
}

const openTransport = (
  joined: NetworkFolder,
  network: NetworkMap,
  { listenOn, logger, limits }: NodeOptions,
): Promise<TlsTransport> =>
  TlsTransport.open({
    key: joined.transportKey,
    me: joined.party.key,
    certificate: joined.certificate,
    rootCertificate: joined.rootCertificate,
    network,
    ...(limits?.transport === undefined ? {} : { limits: limits.transport }),
    ...(listenOn === undefined ? {} : { listenOn }),
    ...(logger === undefined ? {} : { logger }),
  })

const storageLimitsOf = ({ limits }: NodeOptions): { readonly limits?: Partial<StorageLimits> } =>
  limits?.storage === undefined ? {} : { limits: limits.storage }

const assertNoStorageLimits = ({ limits }: NodeOptions): void => {
  if (limits?.storage === undefined) return
  throw new CarillonError(
    'definition-invalid',
    'An open store was handed in, together with limits of the storage. Give these limits to the store when it is opened.',
  )
}

const nothingToRelease = (): Promise<void> => Promise.resolve()

/** A log that the node opens by its address is the node's to close; one that was handed in is its owner's. */
const openLogStore = async (log: string | EventLog, options: NodeOptions): Promise<Opened> => {
  const { store: folder, key, logger = silentLogger } = options
  if (typeof folder === 'object')
    throw new CarillonError(
      'definition-invalid',
      'A node with a log elsewhere keeps its views in a folder, or in memory. Give a folder as store, or leave it out.',
    )
  const openOnce = async (): Promise<Opened> => {
    const opened = typeof log === 'string' ? await openLog(log) : keptOpen(log)
    try {
      if (folder !== undefined)
        return await openLogFolder(folder, opened, {
          ...{ key, keyOptions: keyOptionsOf(options), logger },
          network: options.network?.id,
          ...storageLimitsOf(options),
        })
      const store = await LogBackedStore.open(opened, ':memory:', { logger, ...storageLimitsOf(options) })
      return { store, key: key ?? generateKeyPair(), releaseHold: store.close }
    } catch (error) {
      await opened.close()
      throw error
    }
  }
  try {
    return await whenReachable(openOnce, logger)
  } catch (error) {
    throw folder !== undefined && wantsCopyRevision(error)
      ? withCopyRevision(error, await copyRevisionIn(folder))
      : error
  }
}

export const open = async (options: NodeOptions): Promise<Opened> => {
  const opened = await openAny(options)
  // The folder is this process's now, so nobody else writes the note.
  if (typeof options.store === 'string') noteClock(options.store, hostOf(options).isVirtual)
  return opened
}

const openAny = async (options: NodeOptions): Promise<Opened> => {
  if (options.log !== undefined) return openLogStore(options.log, options)
  if (typeof options.store === 'string') {
    return openStoreFolder(options.store, options.key, keyOptionsOf(options), {
      usesThread: hostOf(options).hasThreads,
      ...storageLimitsOf(options),
    })
  }
  if (options.store !== undefined) assertNoStorageLimits(options)
  const store =
    options.store === undefined ? EmbeddedStore.inMemory(storageLimitsOf(options)) : tickStoreOf(options.store)
  // A store that was handed in is its owner's to close.
  return {
    store,
    key: options.key ?? generateKeyPair(),
    releaseHold: options.store === undefined ? store.close : nothingToRelease,
  }
}

/** The log of one party, or of one app, must not be continued by another. */
export const assertOwn = (store: TickStore, party: string, key: KeyPair, app: string): void => {
  const facts = store.views.facts.now
  const mismatch = (what: string, theirs: string, ours: string): CarillonError =>
    new CarillonError(
      'store-foreign',
      `This store belongs to ${what} ${theirs}; the node was started for ${ours}. Choose another store, or start it as ${theirs}.`,
      { expected: theirs, actual: ours },
    )
  if (facts.partyName !== null && facts.partyName !== party) throw mismatch('party', facts.partyName, party)
  const signer = store.views.facts.signer
  if (signer !== undefined && signer.key !== key.publicKey) {
    if (facts.signers.some((former) => former.key === key.publicKey))
      throw new CarillonError(
        'key-retired',
        `The node was started with ${key.publicKey}, a key that it has changed for ${signer.key}. Start it with that one; "carillon key rotate" leaves it in the key file.`,
        { key: key.publicKey },
      )
    throw mismatch('the key', signer.key, key.publicKey)
  }
  if (facts.app !== null && facts.app !== app) throw mismatch('app', facts.app, app)
}

/** The identity of the node's party: its first key, whichever it signs with now. */
const partyKeyOf = ({ views }: TickStore, key: KeyPair): PublicKey => {
  const { partyKey } = views.facts.now
  return PublicKeyC.is(partyKey) ? partyKey : key.publicKey
}

/**
 * What a start records beside itself: that the node joins a network, and with which keys its members sign. A log that
 * belongs to one network is not continued in another, unless an operator has accepted that network's map.
 */
const eventsOfJoining = (
  { views }: TickStore,
  network: NetworkMap,
  { key }: Party,
  map: NetworkTerms | undefined,
): readonly DomainEvent[] => {
  const { signer } = views.facts
  if (signer === undefined && network.identityOf(key) !== key)
    throw new CarillonError(
      'store-foreign',
      `${key} is a changed key: the log of its party began with ${network.identityOf(key)}, and it is not here. Put the store back, or restore it from a backup.`,
      { expected: network.identityOf(key), actual: key },
    )
  const changes = newKeyChanges(views.maps, network, key)
  if (signer === undefined || signer.network === network.id) return changes
  const isAccepted = map !== undefined && views.maps.isAccepted(hashOfMap(map))
  if (signer.network === ownNetworkId(key) || isAccepted)
    return [{ type: 'NetworkJoined', network: network.id }, ...changes]
  throw networkMismatch(signer.network, network.id)
}

/** What a process needs before it can lead: options without a folder to read them from, and its place in a network. */
export type Prepared = {
  readonly options: NodeOptions
  readonly membership?: Membership
}

/** A node's place in a network whose root vouches for everyone in it. */
type Membership = {
  readonly file: MapFile
  /** Opens a transport that is the node's own, to be closed with it. */
  readonly connect: (network: NetworkMap) => Promise<TlsTransport>
}

export const prepare = (options: NodeOptions): Prepared => {
  if (options.networkFolder === undefined) return { options }
  const { joined, ...rest } = joinNetwork(options.networkFolder, options)
  const file = new MapFile(joined, options.logger ?? silentLogger)
  return {
    options: { ...rest, network: joined.map.network },
    membership: { file, connect: (network) => openTransport(joined, network, options) },
  }
}

/** A store that was restored is compared with what the other parties keep, if there is a way to ask them. */
const compareAtStart = async ({ options, membership }: Prepared): Promise<void> => {
  const { store: folder, log, key, clock = systemClock, logger = silentLogger } = options
  const network = membership?.file.newest.network ?? options.network
  if (typeof folder !== 'string' || log !== undefined || network === undefined || !isMarked(folder)) return
  const own = await membership?.connect(network)
  const transport = own ?? options.transport
  try {
    if (transport === undefined) return
    await compareWithPeers(folder, { transport, network, clock }, { by: 'node' }, key === undefined ? {} : { key })
    logger.info(
      'The store was restored, and holds every checkpoint that the other parties keep of its log; it goes on.',
      {},
    )
  } finally {
    await own?.close()
  }
}

/** Starts a node. Resolves once its start is in the log; what is overdue begins to run at once. */
export const startNode = async (options: NodeOptions): Promise<Node> => {
  nodeLimitsOf(options.limits)
  const prepared = prepare(options)
  // An app that cannot be run should not be found out about with its store already open.
  const registry = new Registry(options.app, builtInFlows(options.app))
  await compareAtStart(prepared)
  const opened = await open(prepared.options)
  const isElsewhere = options.log !== undefined
  return lead(prepared, registry, opened, { reason: 'start', ...(isElsewhere ? { process: randomUUID() } : {}) })
}

/** Starts to lead on a store that is open. Whatever goes wrong, the store is given back. */
export const lead = async (
  { options, membership }: Prepared,
  registry: Registry,
  opened: Opened,
  leadership: Leadership,
): Promise<Node> => {
  const { key } = opened
  const limits = nodeLimitsOf(options.limits)
  const { store: timed, lastCommitMs } = timeCommits(opened.store)
  const store: TickStore = { ...timed, reader: opened.store.reader }
  let ownTransport: TlsTransport | undefined
  let watchdog: Watchdog | undefined
  const releaseHold = async (): Promise<void> => {
    watchdog?.stop()
    await ownTransport?.close()
    await opened.releaseHold()
  }
  try {
    const name = options.party ?? store.views.facts.now.partyName ?? 'Me'
    assertOwn(store, name, key, registry.app.name)
    assertNewestSigned(store)
    // A standby may have waited for long, and the leader before it have gone by a newer map.
    membership?.file.acceptAs((hash) => store.views.maps.isAccepted(hash))
    membership?.file.look()
    const map = membership?.file.newest
    if (map !== undefined)
      assertAnchored(store.views.maps, map.terms, instantFromMillis((options.clock ?? systemClock).now()))
    const party = { name, key: partyKeyOf(store, key) }
    const known = map?.network ?? options.network ?? NetworkMap.alone(party)
    // A party that has left the map has not taken back what it signed.
    let network = known.withKeyChanges(store.views.maps.changes())
    const joining = eventsOfJoining(store, network, party, map?.terms)
    // After the store is known to be ours and before anything is recorded: an address may be taken.
    ownTransport = await membership?.connect(network)
    const transport = ownTransport ?? options.transport
    const { clock, random, hasThreads } = hostOf(options)
    const logger = options.logger ?? silentLogger
    // In virtual time what takes long is somebody's test.
    watchdog = hasThreads
      ? new Watchdog({
          logger,
          limits: limits.engine,
          healthOn: options.healthOn,
          isHeard: options.logger !== undefined,
          file: typeof options.store === 'string' ? storeFiles(options.store).notReturned : undefined,
        })
      : undefined
    const code = new WatchedCode(watchdog, limits.engine)
    const steps = new AsyncStepRunner(clock, logger, limits.engine, code)
    const engine = new FlowEngine(steps, limits.engine, code)
    const loop = new Loop({
      me: party,
      key,
      registry,
      // Asked anew for every tick.
      get network() {
        return network
      },
      signedTransactions: new SignedTransactionReader(store.tick, (tick) => store.views.facts.signerOf(tick)?.key),
      random,
      development: options.development ?? false,
      limits,
      store,
      clock,
      engine,
      logger,
    })
    steps.reportTo((report) => {
      // Refused only when the node has stopped; then the next start runs the step again.
      loop
        .submit(
          (tick) => {
            engine.stepFinished(tick, report)
          },
          { mustBeRecorded: true },
        )
        .catch(() => undefined)
    })
    loop.follow((committed) => {
      steps.forget(committed.endedFlows() as readonly FlowId[])
    })
    // Without threads, decisions verify by themselves.
    const threads = transport === undefined || !hasThreads ? undefined : new SignatureThreads(limits.transport)
    const heads =
      transport === undefined
        ? undefined
        : new HeadKeeper({ loop, store, transport, network: () => network, key, me: party.key, clock, logger, limits })
    const outbox =
      transport === undefined
        ? undefined
        : new OutboxSender({
            ...{ loop, store, engine, transport, network: () => network, clock, logger, limits: limits.session },
            ...(heads === undefined ? {} : { heads }),
            ...(threads === undefined ? {} : { threads }),
          })
    const lease = leadership.leaseMs === undefined ? undefined : new LeaseKeeper(loop, leadership.leaseMs)
    let stopFollowingMap: () => void = () => undefined
    const stopOutside = (): void => {
      stopFollowingMap()
      lease?.stop()
      steps.stop()
      outbox?.stop()
      heads?.stop()
      threads?.stop()
    }
    try {
      await loop.start(
        (error) => {
          stopOutside()
          options.onFailure?.(error)
        },
        {
          ...leadership,
          alsoFirst: joining,
          ...(map === undefined ? {} : { map: mapSerialOf(map.terms) }),
        },
      )
      lease?.start()
    } catch (error) {
      // Otherwise it would go on trying, on a store that is given back below.
      stopOutside()
      await loop.stop(new CarillonError('node-stopped', 'The node could not start.'))
      throw error
    }
    outbox?.start()
    heads?.start()
    const feed = new EventFeed({
      head: store.head,
      read: (from) => store.read(from),
      follow: (follower) => loop.follow(follower),
      whenStopped: (callback) => {
        loop.whenStopped(callback)
      },
    })
    const { store: folder } = options
    const projections = new Projections(registry.app.projections, {
      feed,
      logger,
      openLocal: typeof folder === 'string' ? () => new SqliteProjections(storeFiles(folder).projections) : undefined,
      nowMs: () => clock.now(),
      limits: limits.projection,
    })
    projections.start()
    if (membership !== undefined)
      stopFollowingMap = followMap({
        ...{ file: membership.file, loop, logger, clock },
        use: (newer) => {
          network = newer
          ownTransport?.goBy(newer)
        },
      })
    return new Node({
      feed,
      projections,
      logger,
      party,
      key,
      loop,
      engine,
      steps,
      store,
      network: () => network,
      app: registry.app,
      viewsFile: hasThreads ? opened.store.file : undefined,
      lastCommitMs,
      maps: () => mapsAtHand(membership?.file),
      refusals: () => ({ byMe: outbox?.refused ?? 0, byOthers: outbox?.wereRefused ?? 0 }),
      clock,
      development: options.development ?? false,
      stopOutside,
      releaseHold,
    })
  } catch (error) {
    await releaseHold()
    throw error
  }
}
