/**
 * A hostile member of a simulated network. It holds a valid key, knows what every log says, and breaks the protocol in
 * every way that a seed chooses: what it sends is forged, unasked, repeated, out of order, too large, withheld or
 * contradictory. It can do nothing that a real member could not.
 */
import type { App } from '../../app/App.js'
import { canonicalText, type Json } from '../../encoding/canonical.js'
import { sha256 } from '../../encoding/hash.js'
import type { KeyPair } from '../../identity/KeyPair.js'
import { textToSign } from '../../identity/NetworkId.js'
import type { Party } from '../../identity/Party.js'
import type { PublicKey } from '../../identity/PublicKey.js'
import { signTransaction, TransactionSignatureC, type TransactionSignature } from '../../ledger/signatures.js'
import type { SignedTransaction } from '../../ledger/SignedTransaction.js'
import { needsNotary } from '../../ledger/SignedTransaction.js'
import { showRef, type StateRef } from '../../ledger/StateRef.js'
import { tearOff, type TearOff } from '../../ledger/TearOff.js'
import { componentsOf, dependenciesOf, sealBody, type TransactionBody } from '../../ledger/Transaction.js'
import type { TransactionId } from '../../ledger/TransactionId.js'
import { messageLimits, sessionLimits } from '../../session/limits.js'
import { otherRole, type Envelope, type Message, type SessionRole } from '../../log/Message.js'
import { sessionIdOf, type SessionId } from '../../log/SessionId.js'
import type { LoggedEvent } from '../NodeInspection.js'
import type { VirtualNetwork } from '../VirtualNetwork.js'
import type { Chance } from './Chance.js'
import { falsePoints, falseSignature, twice } from './falseKeys.js'
import { floodOf } from './floodOf.js'

/** What an adversary can do when it is its turn. */
export const attacks = [
  'pushes a state of its own under a key of another',
  'pushes a state for another party',
  'proposes a state for another party',
  'proposes to consume a state of another party',
  'spends a state at two notaries',
  'proposes to change the notary of a state of another party',
  'repeats what was said before',
  'speaks in sessions of others',
  'sends too much',
  'sends a history that nobody asked for',
  'asks for a signature over a part that is not meant for it',
  'references a state of another notary',
  'floods with sessions and messages',
  'signs with keys that are none',
] as const
export type Attack = (typeof attacks)[number]

/** One end of a session that the adversary has with someone. */
type End = {
  readonly to: PublicKey
  readonly role: SessionRole
  sent: number
  /** What it does when something is said in the session. */
  readonly hear: (payload: Json) => void
}

/** What the logs of the network hold, as the adversary sees it. */
type Knowledge = {
  readonly signed: ReadonlyMap<TransactionId, SignedTransaction>
  /** Unconsumed states that somebody holds, with the output that made them. */
  readonly states: readonly { readonly ref: StateRef; readonly output: TransactionBody['outputs'][number] }[]
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mostKept = 300

/** The same signatures in a text that a lenient reader takes for the same bytes. */
const respelled = ({ body, signatures }: SignedTransaction): SignedTransaction => ({
  body,
  signatures: signatures.map((each) => ({
    ...each,
    signature: each.signature.replace(/[AQgw](?===$)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
  })),
})

/** Says that a state was consumed, as an honest node would. */
const gone = (ref: StateRef): Message => ({
  ...{ kind: 'error', code: 'state-consumed', message: 'It was already consumed.' },
  details: { ref: showRef(ref) },
})

export class Adversary {
  readonly #network: VirtualNetwork
  readonly #app: App
  readonly #notaries: readonly Party[]
  readonly #key: KeyPair
  readonly me: Party
  readonly #endpoint
  /** For what it does when it is spoken to. */
  readonly #moods: Chance
  readonly #logOf: (party: string) => Promise<readonly LoggedEvent[]>
  readonly #ends = new Map<string, End>()
  /** Envelopes that were seen anywhere, its own included. */
  readonly #seen: { readonly to: PublicKey; readonly envelope: Envelope }[] = []
  #known: Knowledge = { signed: new Map(), states: [] }
  readonly #made = new Map<TransactionId, SignedTransaction>()
  #count = 0
  /** What it was given and must never be given, one sentence each. */
  readonly granted: string[] = []

  constructor(parts: {
    readonly network: VirtualNetwork
    readonly app: App
    readonly name: string
    readonly notaries: readonly string[]
    readonly moods: Chance
    readonly logOf: (party: string) => Promise<readonly LoggedEvent[]>
  }) {
    this.#network = parts.network
    this.#app = parts.app
    this.#notaries = parts.notaries.map((name) => parts.network.party(name))
    this.#key = parts.network.strangerKey(parts.name)
    this.me = { name: parts.name, key: this.#key.publicKey }
    this.#moods = parts.moods
    this.#logOf = parts.logOf
    this.#endpoint = parts.network.transport.endpoint(this.me.key)
    this.#endpoint.listen((from, envelopes) => {
      for (const envelope of envelopes) this.#hear(from, envelope)
    })
  }

  /** Sees something that leaves a node, and sometimes interrupts: a member of a network may listen to much. */
  overhear(from: PublicKey, to: PublicKey, envelope: Envelope): void {
    this.#keep(to, envelope)
    if (envelope.kind !== 'message' || !this.#moods.oneIn(6)) return
    const { session, seq } = envelope
    const other = otherRole(envelope.from)
    const said: Message = this.#moods.pick([
      { kind: 'end' },
      { kind: 'error', code: 'state-consumed', message: 'It was already consumed.' },
      { kind: 'data', payload: { type: 'recorded' } },
    ])
    this.#endpoint.send(from, [
      { kind: 'ack', session, from: other, seq },
      { kind: 'message', session, from: other, seq: this.#moods.below(3), message: said },
    ])
    this.#endpoint.send(to, [{ kind: 'message', session, from: envelope.from, seq: seq + 1, message: said }])
  }

  #keep(to: PublicKey, envelope: Envelope): void {
    this.#seen.push({ to, envelope })
    if (this.#seen.length > mostKept) this.#seen.shift()
  }

  /** Does some hostile things; gives them in words. */
  async act(chance: Chance): Promise<readonly Attack[]> {
    await this.#look()
    const chosen = chance.some(attacks, 3)
    for (const attack of chosen)
      this.#attack(attack, chance, chance.pick(this.#network.names.map((name) => this.#network.party(name))))
    return chosen
  }

  #attack(attack: Attack, chance: Chance, victim: Party): void {
    switch (attack) {
      case 'pushes a state of its own under a key of another':
        this.#push(victim, this.#sign(this.#copy(chance, true)))
        break
      case 'pushes a state for another party':
        for (const twin of this.#twins(chance, victim)) this.#push(victim, this.#sign(twin))
        break
      case 'proposes a state for another party':
        this.#propose(chance, victim, this.#sharedWith(chance, victim))
        break
      case 'proposes to consume a state of another party':
        this.#propose(chance, victim, this.#asking(this.#consuming(chance), victim))
        break
      case 'spends a state at two notaries':
        this.#spendTwice(chance, victim)
        break
      case 'proposes to change the notary of a state of another party':
        this.#proposeNotary(chance, victim)
        break
      case 'repeats what was said before':
        for (const { to, envelope } of chance.some(this.#seen, chance.between(1, 6)))
          this.#endpoint.send(to, [envelope])
        break
      case 'speaks in sessions of others':
        this.#interfere(chance)
        break
      case 'sends too much':
        this.#overload(chance, victim)
        break
      case 'floods with sessions and messages':
        this.#count += 1
        this.#endpoint.send(
          victim.key,
          floodOf(chance, { me: this.me.key, flows: this.#answered, name: `${this.me.name} flood ${this.#count}` }),
        )
        break
      case 'sends a history that nobody asked for':
        for (const name of chance.some(this.#network.names, 2)) this.#sendHistory(chance, this.#network.party(name))
        break
      case 'asks for a signature over a part that is not meant for it':
        for (const name of this.#network.names) this.#showPart(chance, this.#network.party(name))
        break
      case 'references a state of another notary':
        this.#referenceElsewhere(chance)
        break
      case 'signs with keys that are none':
        this.#signFalsely(chance, victim)
        break
    }
  }

  /** Looks into every log. A real member knows less. */
  async #look(): Promise<void> {
    const signed = new Map<TransactionId, SignedTransaction>()
    const states = new Map<string, Knowledge['states'][number]>()
    for (const name of this.#network.names)
      for (const { event } of await this.#logOf(name)) {
        if (event.type !== 'TransactionRecorded') continue
        const body = JSON.parse(canonicalText(event.body)) as TransactionBody
        if (event.signatures !== undefined) signed.set(event.id, { body, signatures: event.signatures })
        for (const ref of body.inputs) states.delete(canonicalText(ref))
        body.outputs.forEach((output, index) => {
          const ref = { transaction: event.id, index }
          states.set(canonicalText(ref), { ref, output })
        })
      }
    this.#known = { signed, states: [...states.values()] }
  }

  // What it makes up

  #fresh(body: Omit<TransactionBody, 'salt'>): TransactionBody {
    this.#count += 1
    return { ...body, salt: sha256(`${this.me.name} ${this.#count}`).slice(0, 32) }
  }

  /** The same value with itself in the place of every party but those that are kept. */
  #mine(value: Json, kept: readonly string[] = []): Json {
    if (Array.isArray(value)) return (value as readonly Json[]).map((item) => this.#mine(item, kept))
    if (!isRecord(value)) return value
    const { key, name } = value
    const isParty = typeof key === 'string' && typeof name === 'string' && Object.keys(value).length === 2
    if (isParty) return kept.includes(key) ? { key, name } : this.me
    return Object.fromEntries(Object.entries(value).map(([field, member]) => [field, this.#mine(member, kept)]))
  }

  /** The same data under another name, so that it has a key that nobody has. */
  #renamed(data: Json): Json {
    if (!isRecord(data)) return data
    const renamed = (value: unknown): Json =>
      typeof value === 'string' && /^[a-z]/.test(value) && !value.startsWith('ed25519:')
        ? `${value} ${this.#count}`
        : (value as Json)
    return Object.fromEntries(Object.entries(data).map(([field, value]) => [field, renamed(value)]))
  }

  /** A state of its own and another party's, signed by both: one that the other may well agree to. */
  #sharedWith(chance: Chance, { key }: Party): TransactionBody {
    const made = this.#copy(chance, false)
    const isNew = chance.oneIn(2)
    const outputs = made.outputs.map((output) => {
      const data = this.#mine(output.data, [key])
      return { ...output, data: isNew ? this.#renamed(data) : data }
    })
    return { ...made, outputs, signers: made.signers.map(() => [this.me.key, key]) }
  }

  /** A transaction that makes states like one that somebody has, for itself or as they are. */
  #copy(chance: Chance, forItself: boolean, isOld = chance.oneIn(3)): TransactionBody {
    const made = [...this.#known.signed.values()].filter(({ body }) => body.outputs.length > 0)
    // Where rules were mended, there was a hole in them before.
    const mended = made.filter(({ body }) => body.outputs.some(({ contract }) => contract.version > 1))
    const templates = mended.length > 0 && chance.oneIn(2) ? mended : made
    const template = templates.length === 0 ? undefined : chance.pick(templates).body
    const outputs = template?.outputs ?? this.#known.states.slice(0, 1).map(({ output }) => output)
    const change = (data: Json): Json => (forItself ? this.#mine(data) : data)
    const older = ({ name, version }: { readonly name: string; readonly version: number }) => ({
      name,
      version: isOld ? Math.max(1, version - 1) : version,
    })
    const commands = template?.commands ?? [{ type: 'hostile/Do', data: null }]
    return this.#fresh({
      inputs: [],
      references: [],
      outputs: outputs.map((output) => ({ ...output, contract: older(output.contract), data: change(output.data) })),
      commands: commands.map(({ type, data }) => ({ type, data: change(data) })),
      signers: commands.map(() => [this.me.key]),
      notary: chance.pick(this.#notaries),
    })
  }

  /** Transactions that make each kind of a party's own states once more. */
  #twins(chance: Chance, { key }: Party): readonly TransactionBody[] {
    const own = this.#known.states.map(({ output }) => output).filter(({ data }) => canonicalText(data).includes(key))
    const byType = new Map(own.map((output) => [output.type, output]))
    return [...byType.values()].map((output) => this.#fresh({ ...this.#copy(chance, false), outputs: [output] }))
  }

  /** A state like one that a party has. */
  #copyFor({ key }: Party): TransactionBody['outputs'][number] | undefined {
    return this.#known.states.map(({ output }) => output).findLast(({ data }) => canonicalText(data).includes(key))
  }

  /** A transaction that consumes what somebody holds, and keeps the proceeds. */
  #consuming(chance: Chance): TransactionBody {
    const made = this.#copy(chance, true)
    const target = this.#known.states.length === 0 ? undefined : chance.pick(this.#known.states)
    return target === undefined ? made : { ...made, inputs: [target.ref] }
  }

  #asking(body: TransactionBody, { key }: Party): TransactionBody {
    return { ...body, signers: body.signers.map((signers) => [...new Set([...signers, key])]) }
  }

  #sign(body: TransactionBody, more: readonly TransactionSignature[] = []): SignedTransaction {
    const { id } = sealBody(body)
    const signed = { body, signatures: [signTransaction(this.#key, this.#network.map.id, id), ...more] }
    this.#made.set(id, signed)
    return signed
  }

  // How it talks

  #open(to: PublicKey, flow: string, hear: End['hear']): SessionId {
    this.#count += 1
    const nonce = sha256(`${this.me.name} session ${this.#count}`)
    const session = sessionIdOf(this.me.key, nonce)
    this.#ends.set(`${session} initiator`, { to, role: 'initiator', sent: 0, hear })
    this.#say(session, 'initiator', { kind: 'open', flow, version: 1, nonce })
    return session
  }

  #say(session: SessionId, role: SessionRole, message: Message): void {
    const end = this.#ends.get(`${session} ${role}`)
    if (end === undefined) return
    const envelope: Envelope = { kind: 'message', session, from: role, seq: end.sent, message }
    end.sent += 1
    this.#keep(end.to, envelope)
    // It sends nothing again later, and some of it may be lost on the way.
    const copies = this.#network.transport.weather.loss > 0 ? 3 : 1
    this.#endpoint.send(end.to, Array<Envelope>(copies).fill(envelope))
  }

  #tell(session: SessionId, role: SessionRole, payload: unknown): void {
    this.#say(session, role, { kind: 'data', payload: payload as Json })
  }

  #hear(from: PublicKey, envelope: Envelope): void {
    if (envelope.kind !== 'message') return
    const { session, seq, message } = envelope
    const role = otherRole(envelope.from)
    // What is never acknowledged comes again and again; what is acknowledged need not have been read.
    if (!this.#moods.oneIn(12)) this.#endpoint.send(from, [{ kind: 'ack', session, from: role, seq }])
    const key = `${session} ${role}`
    if (message.kind === 'open' && !this.#ends.has(key))
      this.#ends.set(key, { to: from, role, sent: 0, hear: (payload) => this.#answer(session, payload) })
    if (message.kind === 'data') this.#ends.get(key)?.hear(message.payload)
  }

  /** Answers what an honest flow says, sometimes as it should. */
  #answer(session: SessionId, payload: Json): void {
    const moods = this.#moods
    const type = isRecord(payload) ? payload['type'] : undefined
    const tell = (answer: unknown): void => this.#tell(session, 'responder', answer)
    const transaction = isRecord(payload) ? (payload['transaction'] as SignedTransaction | undefined) : undefined
    const id = transaction === undefined ? sha256('nothing') : sealBody(transaction.body).id
    const good = { type: 'signature', signature: signTransaction(this.#key, this.#network.map.id, id) }
    const answers: (() => void)[] = [
      () => undefined,
      () => tell({ type: 'refused', reason: 'no' }),
      () => tell({ type: 'signature', signature: signTransaction(this.#key, this.#network.map.id, sha256('other')) }),
      () => tell({ type: 'fetch', ids: [sha256('strange')] }),
      () => tell({ type: 'recorded' }),
      () => tell({ nonsense: [1, 2, 3] }),
      () => this.#say(session, 'responder', { kind: 'end' }),
      () =>
        this.#say(session, 'responder', { kind: 'error', code: 'state-consumed', message: 'It was already consumed.' }),
      () => {
        tell(good)
        tell(good)
      },
    ]
    const [consumed] = transaction?.body.inputs ?? []
    if (type === 'sign' && moods.oneIn(2)) tell(good)
    // What it is asked to let go is gone, it says.
    else if (type === 'sign' && consumed !== undefined && moods.below(2) === 0)
      this.#say(session, 'responder', gone(consumed))
    else if (type === 'finality' && moods.oneIn(2)) tell({ type: 'recorded' })
    else moods.pick(answers)()
  }

  // What it does

  #push({ key }: Party, transaction: SignedTransaction): void {
    // Some responder may take what it has not signed; most must not.
    for (const flow of ['carillon/Broadcast', ...this.#answered]) {
      const session: SessionId = this.#open(key, flow, (payload) => this.#serve(session, payload, transaction.body))
      this.#tell(session, 'initiator', { type: 'finality', transaction })
    }
  }

  /** The flows that somebody answers. */
  get #answered(): readonly string[] {
    const own = this.#app.flows.flatMap(({ respondsTo }) => (respondsTo === undefined ? [] : [respondsTo.flow]))
    return own.length === 0 ? ['carillon/ChangeNotary'] : own
  }

  /** Has a party sign something, and then makes of it what it likes. */
  #propose(
    chance: Chance,
    victim: Party,
    body: TransactionBody,
    flow = chance.pick(this.#answered),
    signed = this.#sign(body),
  ): void {
    const proposed = this.#count % 3 === 0 ? respelled(signed) : signed
    const follow = chance.pick([0, 1, 1, 1, 2, 3, 4])
    const other = this.#sign(this.#copy(chance, true))
    const session: SessionId = this.#open(victim.key, flow, (payload) => {
      const signature = isRecord(payload) ? payload['signature'] : undefined
      if (!TransactionSignatureC.is(signature)) {
        this.#serve(session, payload, body)
        return
      }
      const final = { body, signatures: [...proposed.signatures, signature] }
      this.#made.set(sealBody(body).id, final)
      if (follow === 0) return
      if (follow === 1) this.#tell(session, 'initiator', { type: 'finality', transaction: other })
      else if (needsNotary(body))
        this.#notarise(final, (signed) => this.#tell(session, 'initiator', { type: 'finality', transaction: signed }))
      else this.#tell(session, 'initiator', { type: 'finality', transaction: final })
      if (follow === 2) this.#push(victim, other)
      if (follow === 3) this.#push(victim, final)
    })
    this.#tell(session, 'initiator', { type: 'sign', transaction: proposed })
  }

  #notarise(
    signed: SignedTransaction,
    then: (final: SignedTransaction) => void,
    notary = signed.body.notary,
    referenced?: readonly TearOff[],
    hidden?: 'inputs' | 'references',
  ): void {
    const { id } = sealBody(signed.body)
    const isPart = this.#network.map.notaryKind(notary.key) === 'nonValidating'
    const callerSignature = this.#key.sign(textToSign('notary request', this.#network.map.id, id))
    const shown = tearOff(
      id,
      componentsOf(signed.body),
      (group) => group !== hidden && (group === 'inputs' || group === 'references'),
    )
    const request = isPart
      ? { type: 'tearOff', tearOff: shown, callerSignature, ...(referenced === undefined ? {} : { referenced }) }
      : { type: 'whole', transaction: signed, callerSignature }
    const session: SessionId = this.#open(notary.key, 'carillon/Notarise', (payload) => {
      const signature = isRecord(payload) ? payload['signature'] : undefined
      if (TransactionSignatureC.is(signature)) then({ ...signed, signatures: [...signed.signatures, signature] })
      else this.#serve(session, payload, signed.body)
    })
    this.#tell(session, 'initiator', { type: 'notarise', request })
  }

  /** One state of its own, consumed by two transactions, each under another notary. */
  #spendTwice(chance: Chance, victim: Party): void {
    const issue = this.#sign(this.#copy(chance, true, false))
    const input = { transaction: sealBody(issue.body).id, index: 0 }
    const isOld = !chance.oneIn(3)
    const older = issue.body.outputs.map((output) => ({ ...output, contract: { ...output.contract, version: 1 } }))
    for (const notary of this.#notaries) {
      const spend = this.#sign(
        this.#fresh({ ...issue.body, inputs: [input], outputs: isOld ? older : issue.body.outputs, notary }),
      )
      this.#notarise(spend, (final) => {
        this.#made.set(sealBody(final.body).id, final)
        this.#push(victim, final)
        this.#propose(
          chance,
          victim,
          this.#asking(
            { ...this.#copy(chance, true), inputs: [{ transaction: sealBody(final.body).id, index: 0 }], notary },
            victim,
          ),
        )
      })
    }
  }

  #proposeNotary(chance: Chance, victim: Party): void {
    const target = this.#known.states.length === 0 ? undefined : chance.pick(this.#known.states)
    const [first = victim, second = victim] = this.#notaries
    if (target === undefined) return
    const body = this.#fresh({
      inputs: [target.ref],
      references: [],
      outputs: [target.output],
      commands: [{ type: 'carillon/ChangeNotary', data: null }],
      signers: [this.#network.names.map((name) => this.#network.party(name).key)],
      notary: first,
      newNotary: second,
    })
    this.#propose(
      chance,
      victim,
      chance.oneIn(2) ? body : { ...body, signers: [[victim.key]] },
      'carillon/ChangeNotary',
    )
  }

  /** Acknowledges, ends and continues sessions that it has no part in. */
  #interfere(chance: Chance): void {
    for (const { to, envelope } of chance.some(this.#seen, chance.between(1, 5))) {
      if (envelope.kind !== 'message') continue
      const { session, seq } = envelope
      const from = otherRole(envelope.from)
      const forged: readonly Envelope[] = [
        { kind: 'ack', session, from, seq },
        { kind: 'ack', session, from: envelope.from, seq },
        { kind: 'message', session, from, seq, message: { kind: 'end' } },
        {
          kind: 'message',
          session,
          from,
          seq: seq + 1,
          message: { kind: 'error', code: 'state-consumed', message: 'It was already consumed.' },
        },
        {
          kind: 'message',
          session,
          from: envelope.from,
          seq: seq + 1,
          message: { kind: 'data', payload: { type: 'recorded' } },
        },
      ]
      for (const name of [...this.#network.names, ''])
        this.#endpoint.send(name === '' ? to : this.#network.party(name).key, chance.some(forged, 3))
    }
  }

  #overload(chance: Chance, { key }: Party): void {
    const session = this.#open(key, chance.pick(['carillon/Broadcast', ...this.#answered]), () => undefined)
    const deep = Array.from({ length: 200 }).reduce<Json>((inner) => [inner], null)
    for (const payload of [
      { type: 'finality', transaction: 'x'.repeat(messageLimits.messageBytes + 1) },
      deep,
      { type: 'sign' },
    ])
      this.#tell(session, 'initiator', payload)
    const seq = chance.pick([sessionLimits.messagesPerSession + 1, 100, 17])
    this.#endpoint.send(key, [{ kind: 'message', session, from: 'initiator', seq, message: { kind: 'end' } }])
  }

  /** Serves a final transaction that somebody may want with a history that nobody has asked for. */
  #sendHistory(chance: Chance, victim: Party): void {
    const issue = this.#sign(this.#copy(chance, true))
    const stranger = this.#sign(this.#copy(chance, true))
    // What it builds on may hold something for the party that asks.
    const gift = this.#copyFor(victim)
    const mixed = gift === undefined ? issue : this.#sign({ ...issue.body, outputs: [...issue.body.outputs, gift] })
    const parent = chance.oneIn(2) ? issue : mixed
    const inputs = [{ transaction: sealBody(parent.body).id, index: 0 }]
    const child = this.#sign({ ...this.#copy(chance, true), inputs, notary: parent.body.notary })
    const history = chance.pick([[parent, stranger], [stranger, parent], [stranger, parent], [stranger], [parent]])
    this.#notarise(child, (final) => {
      for (const flow of ['carillon/Broadcast', ...this.#answered]) {
        const session: SessionId = this.#open(victim.key, flow, (payload) => {
          if (!isRecord(payload)) return
          if (payload['type'] === 'fetch')
            this.#tell(session, 'initiator', { type: 'ancestors', ids: history.map(({ body }) => sealBody(body).id) })
          if (payload['type'] !== 'held') return
          this.#tell(session, 'initiator', { type: 'history', transactions: history })
          this.#tell(session, 'initiator', { type: 'historyEnd' })
        })
        this.#tell(session, 'initiator', { type: chance.oneIn(4) ? 'sign' : 'finality', transaction: final })
      }
    })
  }

  /** Shows a part of a transaction in which no command asks for the party, or one that is hidden or of another kind does. */
  #showPart(chance: Chance, victim: Party): void {
    const made = this.#copy(chance, true)
    const asks = chance.pick(['none', 'hidden', 'strange'] as const)
    const signers = asks === 'none' ? made.signers : made.signers.map(() => [this.me.key, victim.key])
    const commands = asks === 'strange' ? made.commands.map(() => ({ type: 'hostile/Do', data: null })) : made.commands
    const body = { ...made, signers, commands }
    const { id } = sealBody(body)
    const shown = tearOff(
      id,
      componentsOf(body),
      (group) => group === 'signers' || (asks !== 'hidden' && group === 'commands'),
    )
    for (const flow of this.#answered) {
      const session = this.#open(victim.key, flow, (payload) => {
        const signature = isRecord(payload) ? payload['signature'] : undefined
        if (TransactionSignatureC.is(signature) && signature.by === victim.key)
          this.granted.push(
            `${victim.name} has signed transaction ${id} for ${this.me.name}, in which the command for it is ${asks}`,
          )
      })
      this.#tell(session, 'initiator', { type: 'signPart', tearOff: shown })
    }
  }

  /** Has a notary let a state go for a transaction that no honest member can record. */
  #referenceElsewhere(chance: Chance): void {
    const [notary, other] = chance.some(this.#notaries, 2)
    if (notary === undefined || other === undefined) return
    const issue = this.#sign({ ...this.#copy(chance, true, false), notary })
    const elsewhere = this.#sign({ ...this.#copy(chance, true, false), notary: other })
    const ref = ({ body }: SignedTransaction): StateRef => ({ transaction: sealBody(body).id, index: 0 })
    const spend = this.#sign(this.#fresh({ ...issue.body, inputs: [ref(issue)], references: [ref(elsewhere)] }))
    const { id } = sealBody(elsewhere.body)
    this.#notarise(
      spend,
      () =>
        this.granted.push(`${notary.name} has let a state go by a transaction that references one of ${other.name}`),
      notary,
      [tearOff(id, componentsOf(elsewhere.body), () => false)],
    )
    if (this.#network.map.notaryKind(notary.key) !== 'nonValidating') return
    const beside = this.#sign({ ...this.#copy(chance, true, false), notary })
    const hidden = chance.pick(['inputs', 'references'] as const)
    this.#notarise(
      this.#sign(this.#fresh({ ...issue.body, inputs: [ref(issue)], references: [ref(beside)] })),
      () => this.granted.push(`${notary.name} has let a state go by a transaction that hides its ${hidden}`),
      notary,
      [tearOff(sealBody(beside.body).id, componentsOf(beside.body), () => false)],
      hidden,
    )
  }

  /** Proposes a state that it shares with another party, as somebody whose signature is worth nothing. */
  #signFalsely(chance: Chance, victim: Party): void {
    const body = this.#sharedWith(chance, victim)
    for (const point of falsePoints) {
      const nobody = JSON.parse(canonicalText(body).replaceAll(this.me.key, point)) as TransactionBody
      const made = this.#fresh(nobody)
      const flow = chance.pick(this.#answered)
      this.#propose(chance, victim, made, flow, { body: made, signatures: [falseSignature(point)] })
    }
    const signers = body.signers.map(() => [victim.key, twice(this.me.key)])
    this.#propose(chance, victim, this.#fresh({ ...body, signers }))
  }

  /** Serves the history of a transaction as an honest party would. */
  #serve(session: SessionId, payload: Json, body: TransactionBody): void {
    if (!isRecord(payload)) return
    const lineage: TransactionId[] = []
    const visit = (of: TransactionBody): void => {
      for (const id of dependenciesOf(of)) {
        const known = this.#made.get(id) ?? this.#known.signed.get(id)
        if (known === undefined || lineage.includes(id)) continue
        visit(known.body)
        lineage.push(id)
      }
    }
    visit(body)
    if (payload['type'] === 'fetch')
      this.#tell(session, 'initiator', { type: 'ancestors', ids: [...lineage].reverse() })
    if (payload['type'] !== 'held') return
    const held = new Set(Array.isArray(payload['ids']) ? (payload['ids'] as readonly unknown[]) : [])
    const transactions = lineage
      .filter((id) => !held.has(id))
      .flatMap((id) => this.#made.get(id) ?? this.#known.signed.get(id) ?? [])
    this.#tell(session, 'initiator', { type: 'history', transactions })
    this.#tell(session, 'initiator', { type: 'historyEnd' })
  }
}
