/**
 * Verifies an exported log. Written from docs/reference/log-format.md alone, to show that the page is complete: it imports
 * nothing of the project. The numbers in the comments are the sections of the page.
 *
 *     node test/verifier/verifyExport.mjs file.ndjson
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

/* global Buffer, console, process, TextDecoder -- those that Node has */

const FORMAT = 2
const MAX_FINDINGS = 100
const MAX_EXCHANGE_HASHED = 32 * 1024 * 1024
const MAX_LEAVES = 2 ** 31
const MAX_KEY_DEPTH = 32
const MAX_LINE_BYTES = 524_288

const EVENT_TYPES = new Set(
  `NodeStarted NetworkMapChanged NetworkMapAccepted NetworkJoined KeyChanged LeaseRenewed NodeStopped DrainingStarted DrainingEnded TokenIssued
  TokenRevoked CheckpointReceived RestoreAccepted TransactionRecorded ActivityMoved ActivityRemoved ActivityMissed
  ActivityStartFailed ActivityParked ActivityPaused ActivityResumed ActivityTriggered ActivityRetried ActivityDismissed
  StateReassessed StatesLocked StatesUnlocked KeysReserved TransactionSigned TransactionNotarised SessionOpened MessageSent MessageReceived
  MessageAcknowledged FlowStarted FlowAdvanced FlowEnded FlowParked FlowRetried FlowPaused FlowResumed
  FlowDismissed FlowCancelled SignalReceived SignalTaken`.split(/\s+/),
)

// 1.2 Points of Ed25519 that are no public keys

const FIELD = 2n ** 255n - 19n
const ORDER_EIGHT_Y = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n
const SMALL_ORDER_Y = new Set([0n, 1n, FIELD - 1n, ORDER_EIGHT_Y, FIELD - ORDER_EIGHT_Y])

// 1. Texts and bytes

const digest = (algorithm, text) => createHash(algorithm).update(text, 'utf8').digest('hex')
const sha256 = (text) => digest('sha256', text)
const sha512 = (text) => digest('sha512', text)
const lines = (...texts) => texts.join('\n')

// 1.1 Canonical text

const canonicalString = (text) => {
  if (!text.isWellFormed()) throw new Error('half of a surrogate pair')
  return JSON.stringify(text)
}

const canonicalNumber = (number) => {
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) throw new Error('number')
  return String(number)
}

const canonical = (value) => {
  if (typeof value === 'string') return canonicalString(value)
  if (typeof value === 'number') return canonicalNumber(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return String(value)
  const members = Object.keys(value).sort()
  return `{${members.map((key) => `${canonicalString(key)}:${canonical(value[key])}`).join(',')}}`
}

/** The value of a canonical text, or undefined. */
const parseCanonical = (text) => {
  try {
    const value = JSON.parse(text)
    return canonical(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

// 1.2 Values: each is a function that says whether a value is one

const isText = (value) => typeof value === 'string'
const isBoolean = (value) => typeof value === 'boolean'
const isInteger = (value) => Number.isSafeInteger(value)
const isJson = (value) => value !== undefined
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isMatch = (pattern) => (value) => isText(value) && pattern.test(value)
const isListOf = (isEntry) => (value) => Array.isArray(value) && value.every(isEntry)
const isOneOf =
  (...checks) =>
  (value) =>
    checks.some((check) => check(value))

/** An object with exactly these members. Those whose name ends with `?` may be left out. */
const isRecord = (shape) => {
  const checks = new Map(Object.entries(shape).map(([name, check]) => [name.replace('?', ''), check]))
  const required = Object.keys(shape).filter((name) => !name.endsWith('?'))
  return (value) =>
    isObject(value) &&
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => checks.get(name)?.(member) === true)
}

const isHash = isMatch(/^[0-9a-f]{64}$/)
const isPublicKey = (value) => {
  if (!isText(value) || !/^ed25519:[0-9a-f]{64}$/.test(value)) return false
  const y = BigInt(`0x${value.slice(8).match(/../g).reverse().join('')}`) & (2n ** 255n - 1n)
  return y < FIELD && !SMALL_ORDER_Y.has(y)
}
const isSignature = isMatch(/^[A-Za-z0-9+/]{85}[AQgw]==$/)
const isInstant = (value) => {
  if (!isMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)(value)) return false
  const date = new Date(value)
  return !Number.isNaN(date.getTime()) && date.toISOString() === value
}
const isParty = isRecord({ name: isText, key: isPublicKey })
const isStateRef = isRecord({ transaction: isHash, index: isInteger })

const isChild = isRecord({ key: isJson, weight: (weight) => isInteger(weight) && weight >= 1 })
const isComposite = isRecord({
  threshold: (threshold) => isInteger(threshold) && threshold >= 1,
  children: isListOf(isChild),
})

const leavesOf = (key) => (isText(key) ? [key] : key.children.flatMap((child) => leavesOf(child.key)))
const hasNoTwins = (key) => new Set(leavesOf(key)).size === leavesOf(key).length
const isKey = (value, depth = 0) => {
  if (isPublicKey(value)) return true
  if (!isComposite(value) || depth >= MAX_KEY_DEPTH) return false
  const sum = value.children.reduce((total, child) => total + child.weight, 0)
  return (
    value.children.length > 0 &&
    Number.isSafeInteger(sum) &&
    value.threshold <= sum &&
    value.children.every((child) => isKey(child.key, depth + 1)) &&
    hasNoTwins(value)
  )
}

const isSatisfied = (key, signed) => {
  if (isText(key)) return signed.has(key)
  const satisfied = key.children.filter((child) => isSatisfied(child.key, signed))
  return satisfied.reduce((total, child) => total + child.weight, 0) >= key.threshold
}

// 1.3 Ed25519

const publicKeys = new Map()

const publicKeyOf = (key) => {
  const known = publicKeys.get(key)
  if (known !== undefined) return known
  const x = Buffer.from(key.slice('ed25519:'.length), 'hex').toString('base64url')
  const made = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  publicKeys.set(key, made)
  return made
}

const signedText = (tag, network, ...rest) => lines(`carillon ${tag} ${FORMAT}`, network, ...rest)

const isSignedBy = (key, text, signature) => {
  if (!isSignature(signature)) return false
  return verify(null, Buffer.from(text, 'utf8'), publicKeyOf(key), Buffer.from(signature, 'base64'))
}

const ownNetwork = (identity) => sha256(lines('carillon own network', identity))

// 2. Ticks

const isHeader = isRecord({ at: isInstant, count: isInteger, revision: isInteger, tick: isInteger })

const runningHash = (before, header, events) => sha256(lines(before.hash, before.signature, header, ...events))

// 3. The signature of a tick

const node = (left, right) => sha256(`node\n${left}${right}`)

/** The largest power of two below a number of leaves. */
const leftLeaves = (count) => {
  let size = 1
  while (size * 2 < count) size *= 2
  return size
}

const merkleRoot = (leaves) => {
  if (leaves.length === 0) return sha256('empty\n')
  if (leaves.length === 1) return leaves[0]
  const left = leftLeaves(leaves.length)
  return node(merkleRoot(leaves.slice(0, left)), merkleRoot(leaves.slice(left)))
}

const tickText = (network, hash, count, root) => signedText('tick', network, hash, count, root)

// 4. Transactions

const isTimeWindow = isRecord({ 'from?': isInstant, 'until?': isInstant })
const isContract = isRecord({ name: isText, version: isInteger })
const isOutput = isRecord({ type: isText, version: isInteger, contract: isContract, data: isJson })
const isCommand = isRecord({ type: isText, data: isJson })
const isSigners = isListOf(isListOf((key) => isKey(key)))
const isBody = isRecord({
  inputs: isListOf(isStateRef),
  references: isListOf(isStateRef),
  outputs: isListOf(isOutput),
  commands: isListOf(isCommand),
  signers: isSigners,
  notary: isParty,
  salt: isText,
  'timeWindow?': isTimeWindow,
  'newNotary?': isParty,
})

/** Whether a body has what an id is made of; what its members hold is checked by itself (8). */
const isWholeBody = (body) =>
  isObject(body) &&
  [body.commands, body.inputs, body.outputs, body.references].every(Array.isArray) &&
  isText(body.salt) &&
  Object.hasOwn(body, 'notary') &&
  Object.hasOwn(body, 'signers')

const isTickProof = isRecord({ hash: isHash, index: isInteger, count: isInteger, path: isListOf(isHash) })
const isTransactionSignature = isRecord({ by: isPublicKey, signature: isText, 'tick?': isTickProof })

// 9. Assessments

const isFlowCall = isRecord({ name: isText, input: isJson })
const isActivity = isRecord({
  at: isInstant,
  flow: isFlowCall,
  'toleranceMs?': isInteger,
  'onMissed?': isFlowCall,
  'once?': isBoolean,
})
const isIndexedValue = isOneOf((value) => isText(value) && value.length <= 200, Number.isFinite, isBoolean)
const isCause = isRecord({ name: isText, message: isText, 'stack?': isText })
const isError = isRecord({
  code: isText,
  message: isText,
  'details?': isObject,
  'stack?': isText,
  'causes?': isListOf(isCause),
})
const isAssessment = isRecord({
  relevant: isBoolean,
  participants: isListOf(isPublicKey),
  'activity?': isActivity,
  'key?': isText,
  'indexed?': (value) => isObject(value) && Object.values(value).every(isIndexedValue),
  'actsAt?': isInstant,
  'failure?': isError,
})
const isSignedTransaction = isRecord({
  type: isText,
  id: isHash,
  body: isBody,
  assessments: isListOf(isAssessment),
  'flow?': isText,
  signatures: isListOf(isTransactionSignature),
  'ancestor?': (value) => value === true,
})

/** The id of a whole body (4). */
const transactionId = (body) => {
  const { inputs, references, outputs, commands, signers, salt } = body
  const components = [...inputs, ...references, ...outputs, ...commands, signers].map(canonical)
  let row = components.map((text, i) => {
    const nonces = sha512(lines('nonce', salt, Math.floor(i / 4)))
    const start = 32 * (i % 4)
    return sha256(lines('leaf', nonces.slice(start, start + 32), i, text))
  })
  while (row.length > 16) {
    const groups = []
    for (let i = 0; i < row.length; i += 16) groups.push(sha256(`wide node\n${row.slice(i, i + 16).join('')}`))
    row = groups
  }
  const header = {
    commands: commands.length,
    format: 1,
    inputs: inputs.length,
    notary: body.notary,
    outputs: outputs.length,
    references: references.length,
    ...(Object.hasOwn(body, 'newNotary') && { newNotary: body.newNotary }),
    ...(Object.hasOwn(body, 'timeWindow') && { timeWindow: body.timeWindow }),
  }
  return sha256(lines('transaction', canonical(header), row.join('')))
}

/** The root that a path leads to from a leaf, or undefined if the path does not fit the place (4). */
const rootOfPath = (leaf, { index, count, path }) => {
  if (index < 0 || index >= count || count > MAX_LEAVES) return undefined
  const climb = (place, size, above) => {
    if (size === 1) return above === 0 ? leaf : undefined
    if (above === 0) return undefined
    const left = leftLeaves(size)
    const beside = path[above - 1]
    const isLeft = place < left
    const below = isLeft ? climb(place, left, above - 1) : climb(place - left, size - left, above - 1)
    if (below === undefined) return undefined
    return isLeft ? node(below, beside) : node(beside, below)
  }
  return climb(index, count, path.length)
}

/** Whether a signature of a transaction is valid in one of these networks (4). */
const isTransactionSigned = (id, { by, signature, tick }, networks) => {
  if (tick === undefined) {
    return networks.some((network) => isSignedBy(by, signedText('transaction', network, id), signature))
  }
  const root = rootOfPath(id, tick)
  if (root === undefined) return false
  return networks.some((network) => isSignedBy(by, tickText(network, tick.hash, tick.count, root), signature))
}

/** All keys that must sign a transaction, each once (4). */
const requiredKeys = (body) => {
  const isNotarised = body.inputs.length > 0 || body.references.length > 0 || Object.hasOwn(body, 'timeWindow')
  const keys = isNotarised ? [...body.signers.flat(), body.notary.key] : body.signers.flat()
  return [...new Map(keys.map((key) => [canonical(key), key])).values()]
}

// 5. Events that concern signatures

const isNodeStarted = isRecord({
  type: isText,
  reason: (value) => value === 'start' || value === 'takeover',
  party: isParty,
  app: isText,
  appVersion: isText,
  term: isInteger,
  format: (value) => value === 2 || value === 3,
  carillon: isText,
  network: isHash,
  'process?': isText,
  'leaseMs?': isInteger,
  'map?': isRecord({ root: isPublicKey, serial: isInteger, 'hash?': isHash }),
})
const isNetworkJoined = isRecord({ type: isText, network: isHash })
const isKeyChange = isRecord({
  party: isPublicKey,
  from: isPublicKey,
  to: isPublicKey,
  fromSignature: isText,
  toSignature: isText,
})
const isKeyChanged = isRecord({ type: isText, change: isKeyChange })

/** Who signs: the identity of the log, the key and the network in force, and the chains of keys of all parties. */
class Signers {
  identity
  key
  /** The key of the last tick; `key` is that of the next one. */
  keyOfTick
  network
  keysInForce = new Set()
  networksInForce = new Set()
  #currentKeys = new Map()
  #identities = new Map()
  #usedKeys = new Set()

  /** The key is known from the first tick on that begins with a well-formed NodeStarted (3, 8). */
  begin(started) {
    this.identity = started.party.key
    this.#setNetwork(started.network)
    this.#setKey(this.identity)
    this.#usedKeys.add(this.identity)
  }

  identityOf(key) {
    return this.#identities.get(key) ?? key
  }

  /** Whether a change is signed by both keys and continues the chain of its party. */
  isGoodChange({ party, from, to, fromSignature, toSignature }) {
    if (from !== (this.#currentKeys.get(party) ?? party) || this.#isUsed(party, to)) return false
    return [this.network, ownNetwork(party)].some((network) => {
      const text = signedText('key change', network, party, from, to)
      return isSignedBy(from, text, fromSignature) && isSignedBy(to, text, toSignature)
    })
  }

  /** A change to a key that was used before says nothing about whose key that is. */
  recordChange({ party, to }) {
    if (this.#isUsed(party, to)) return
    this.#currentKeys.set(party, to)
    this.#identities.set(to, party)
    this.#usedKeys.add(party).add(to)
  }

  /** Key changes and joins have their effect on the log from the next tick on. */
  endTick(events) {
    this.keyOfTick = this.key
    for (const { value } of events) {
      if (value.type === 'NetworkJoined') this.#setNetwork(value.network)
      if (value.type === 'KeyChanged' && value.change.party === this.identity) this.#setKey(value.change.to)
    }
  }

  #isUsed(party, to) {
    return to === party || this.#usedKeys.has(to)
  }

  #setNetwork(network) {
    this.network = network
    this.networksInForce.add(network)
  }

  #setKey(key) {
    this.key = key
    this.keysInForce.add(key)
  }
}

// 7. The export

/** A line that cannot be read: it is reported, and the check of the file ends there. */
class UnreadableError extends Error {}

const requireReadable = (condition) => {
  if (!condition) throw new UnreadableError()
}

/** The lines of a file, as texts. A line that is not UTF-8 cannot be read (1). */
function* linesOf(bytes) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(10, start)
    const end = found === -1 ? bytes.length : found
    requireReadable(end - start <= MAX_LINE_BYTES)
    let text
    try {
      text = decoder.decode(bytes.subarray(start, end))
    } catch {
      throw new UnreadableError()
    }
    start = end + 1
    if (text === '' && start >= bytes.length) return
    requireReadable(text !== '')
    yield text
  }
}

const isFirstLine = isRecord({ carillon: (value) => value === 'log', format: isInteger })
const isEnd = isRecord({ hash: isHash, signature: isText, tick: isInteger })

function* readTicks(bytes) {
  const source = linesOf(bytes)
  const next = () => {
    const { value, done } = source.next()
    requireReadable(!done)
    return value
  }
  const first = parseCanonical(next())
  requireReadable(isFirstLine(first))
  if (first.format !== FORMAT) throw new Error(`The file has format ${first.format}; this verifier knows ${FORMAT}.`)
  for (const header of source) {
    const place = parseCanonical(header)
    requireReadable(isHeader(place) && place.count >= 1)
    const texts = []
    while (texts.length < place.count) texts.push(next())
    const end = parseCanonical(next())
    requireReadable(isEnd(end) && end.tick === place.tick)
    yield { header, ...place, texts, hash: end.hash, signature: end.signature }
  }
}

// 8. What a verifier reports

class Findings {
  list = []

  add(kind, revision, until = revision, rule) {
    const finding = { kind, revision, until, rule }
    if (this.list.length < MAX_FINDINGS) this.list.push(finding)
    return finding
  }

  report() {
    return this.list.map(({ kind, revision, until }) =>
      until > revision ? { kind, revision, until } : { kind, revision },
    )
  }
}

/** The two events whose exchange gives the claimed hash, as indices, or undefined. */
const findExchange = (before, { header, texts, hash }) => {
  const size = texts.join('\n').length
  let hashed = 0
  for (let distance = 1; distance < texts.length; distance += 1) {
    for (let first = 0; first + distance < texts.length; first += 1) {
      if (texts[first] === texts[first + distance]) continue
      hashed += size
      if (hashed > MAX_EXCHANGE_HASHED) return undefined
      const second = first + distance
      const tried = [...texts]
      ;[tried[first], tried[second]] = [texts[second], texts[first]]
      if (runningHash(before, header, tried) === hash) return { first, second }
    }
  }
  return undefined
}

/** Place and hash. Returns the finding `altered` of rule 1, for rule 2 of the next tick. */
const checkPlace = (tick, before, findings) => {
  const expected = before.nextRevision
  const isNext = tick.tick === before.tick + 1
  const last = tick.revision + tick.count - 1
  if (isNext && tick.revision === expected) {
    if (runningHash(before, tick.header, tick.texts) === tick.hash) return undefined
    const exchange = findExchange(before, tick)
    if (exchange === undefined) return findings.add('altered', tick.revision, last)
    findings.add('reordered', tick.revision + exchange.first, tick.revision + exchange.second)
  } else if (isNext && tick.revision > expected && before.altered !== undefined) {
    before.altered.kind = 'missing'
    before.altered.until = tick.revision - 1
  } else if (tick.revision < expected) {
    findings.add('reordered', tick.revision)
    const gap = findings.list.find(
      ({ rule, revision, until }) => rule === 5 && revision <= tick.revision && tick.revision <= until,
    )
    if (gap !== undefined) gap.kind = 'reordered'
  } else if (tick.revision === expected) {
    findings.add('altered', tick.revision)
  } else {
    findings.add('missing', expected, tick.revision - 1, 5)
  }
  return undefined
}

const SHAPES = new Map([
  ['NodeStarted', isNodeStarted],
  ['NetworkJoined', isNetworkJoined],
  ['KeyChanged', isKeyChanged],
])

/** Events: the well-formed ones with their values. A transaction says whether its signers can be checked. */
const checkEvent = (text, revision, findings) => {
  const value = parseCanonical(text)
  if (!isObject(value) || !isText(value.type)) {
    findings.add('malformed', revision)
    return undefined
  }
  if (value.type === 'TransactionRecorded') return checkTransaction(value, revision, findings)
  const isShape = SHAPES.get(value.type) ?? (() => EVENT_TYPES.has(value.type))
  if (isShape(value)) return { value, revision }
  findings.add('malformed', revision)
  return undefined
}

const checkTransaction = (value, revision, findings) => {
  const { id, body, assessments } = value
  const hasShape = !Object.hasOwn(value, 'signatures') || isSignedTransaction(value)
  if (!hasShape) findings.add('malformed', revision)
  if (!isHash(id) || !isWholeBody(body)) {
    findings.add('malformed', revision)
    return undefined
  }
  const isAssessed = Array.isArray(assessments) && assessments.length === body.outputs.length
  if (!isAssessed) findings.add('malformed', revision)
  const areSignersReadable = isSigners(body.signers) && isParty(body.notary)
  if (!areSignersReadable || body.signers.length !== body.commands.length) findings.add('malformed', revision)
  if (transactionId(body) !== id) findings.add('altered', revision)
  return { value, revision, canCheckSigners: hasShape && areSignersReadable }
}

/** Signers: whether the keys and identities of a tick's events follow from what was before. */
const checkSigners = (events, signers, findings) => {
  for (const { value, revision } of events) {
    if (value.type === 'NodeStarted' && value.party.key !== signers.identity) {
      findings.add('forged', revision)
    }
    if (value.type === 'KeyChanged') {
      if (!signers.isGoodChange(value.change)) findings.add('forged', revision)
      signers.recordChange(value.change)
    }
  }
}

/** Signatures: that of the tick, and those of its transactions. */
const checkSignatures = (tick, events, signers, findings) => {
  const transactions = events.filter(({ value }) => value.type === 'TransactionRecorded')
  const ids = transactions.filter(({ value }) => !Object.hasOwn(value, 'signatures')).map(({ value }) => value.id)
  const text = tickText(signers.network, tick.hash, ids.length, merkleRoot(ids))
  if (!isSignedBy(signers.key, text, tick.signature)) findings.add('forged', tick.revision)
  for (const { value, revision, canCheckSigners } of transactions) {
    if (!canCheckSigners) continue
    const required = requiredKeys(value.body)
    if (value.signatures === undefined) {
      const signed = new Set([signers.identity])
      for (const key of required) if (!isSatisfied(key, signed)) findings.add('forged', revision)
    } else if (!isSignedByAll(value, required, signers)) {
      findings.add('forged', revision)
    }
  }
}

const isSignedByAll = ({ id, signatures }, required, signers) => {
  const signed = new Set()
  for (const signature of signatures) {
    const identity = signers.identityOf(signature.by)
    if (!isTransactionSigned(id, signature, [signers.network, ownNetwork(identity)])) return false
    signed.add(identity)
  }
  return required.every((key) => isSatisfied(key, signed))
}

/** Checkpoints, from the lowest revision to the highest (6, 8). */
class Checkpoints {
  #waiting
  #hashes = []
  #from = 0

  constructor(checkpoints) {
    this.#waiting = [...checkpoints].sort((a, b) => a.revision - b.revision)
  }

  endTick(tick, signers, findings) {
    this.#hashes.push(tick.hash)
    const last = tick.revision + tick.count - 1
    while (this.#waiting.length > 0 && this.#waiting[0].revision <= last) {
      const checkpoint = this.#waiting.shift()
      const from = Math.min(this.#from, checkpoint.revision)
      if (!this.#isSigned(checkpoint, signers)) findings.add('forged', from, checkpoint.revision)
      else if (!this.#isAt(checkpoint, tick, last)) findings.add('altered', from, checkpoint.revision)
      else this.#from = checkpoint.revision + 1
    }
  }

  endLog(nextRevision, signers, findings) {
    for (const checkpoint of this.#waiting) {
      findings.add(this.#isSigned(checkpoint, signers) ? 'cut-off' : 'forged', nextRevision)
    }
  }

  #isSigned({ network, tick, revision, hash, range, by, signature, continuedAt = '' }, signers) {
    const text = signedText('checkpoint', network, tick, revision, hash, range, continuedAt)
    const isKey = by === signers.keyOfTick || by === signers.key
    return isKey && signers.networksInForce.has(network) && isSignedBy(by, text, signature)
  }

  #isAt(checkpoint, tick, last) {
    const leaves = this.#hashes.map((hash) => sha256(lines('leaf', hash)))
    return (
      checkpoint.revision === last &&
      checkpoint.hash === tick.hash &&
      checkpoint.tick === tick.tick &&
      checkpoint.range === merkleRoot(leaves)
    )
  }
}

/** Verifies an export. `checkpoints` are those that others keep of it, `by` is the key that must have signed it. */
export const verifyExport = (bytes, { checkpoints = [], by } = {}) => {
  const findings = new Findings()
  const signers = new Signers()
  const given = new Checkpoints(checkpoints)
  let before = { tick: 0, nextRevision: 0, hash: '0'.repeat(64), signature: '', altered: undefined }
  let ticks = 0
  let events = 0
  try {
    for (const tick of readTicks(bytes)) {
      const altered = checkPlace(tick, before, findings)
      const checked = tick.texts.map((text, i) => checkEvent(text, tick.revision + i, findings))
      if (signers.identity === undefined && checked[0]?.value.type === 'NodeStarted') signers.begin(checked[0].value)
      const wellFormed = checked.filter((event) => event !== undefined)
      if (signers.identity === undefined) {
        findings.add('forged', tick.revision)
      } else {
        checkSigners(wellFormed, signers, findings)
        checkSignatures(tick, wellFormed, signers, findings)
        signers.endTick(wellFormed)
      }
      given.endTick(tick, signers, findings)
      ticks += 1
      events += tick.count
      before = { ...tick, nextRevision: tick.revision + tick.count, altered }
    }
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    findings.add('malformed', before.nextRevision)
  }
  given.endLog(before.nextRevision, signers, findings)
  if (by !== undefined && ticks > 0 && !signers.keysInForce.has(by)) findings.add('forged', 0)
  return { ticks, events, head: before.hash, findings: findings.report() }
}

const main = (file) => {
  const { ticks, events, head, findings } = verifyExport(readFileSync(file))
  for (const { kind, revision, until } of findings) {
    console.log(until === undefined ? `${kind} at ${revision}` : `${kind} from ${revision} until ${until}`)
  }
  console.log(`${ticks} ticks, ${events} events, ${findings.length} findings, head ${head}`)
  return findings.length === 0 ? 0 : 1
}

if (process.argv[1] === import.meta.filename) {
  process.exitCode = main(process.argv[2])
}
