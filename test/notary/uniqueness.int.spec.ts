/** What a notary promises: each state is consumed once, in every combination of what it can be asked. */
import { expect } from 'chai'
import { plus, showRef, type StateRef, type TimeWindow } from 'carillon'
import { verifyTransactionSignature } from '../../src/ledger/signatures.js'
import { tearOff } from '../../src/ledger/TearOff.js'
import { componentsOf, sealBody, type TransactionBody } from '../../src/ledger/Transaction.js'
import { ledgerLimits } from '../../src/ledger/limits.js'
import { TokenNetwork, type Reply } from './tokens.js'

const inputCases = ['none', 'unspent', 'spent', 'unspent and spent', 'repeated'] as const
const referenceCases = ['none', 'unspent', 'spent', 'same as an input', 'repeated'] as const
const windowCases = ['none', 'open', 'closed', 'not yet open'] as const

type Asked = {
  readonly name: string
  readonly body: TransactionBody
  readonly expected: 'signed' | 'state-consumed' | 'time-window-closed' | 'transaction-malformed'
  /** The state that the notary must name. */
  readonly conflict: StateRef | undefined
}

const verdictOf = (reply: Reply): string => reply.error ?? 'signed'

for (const kind of ['validating', 'nonValidating'] as const) {
  describe(`A ${kind} notary`, () => {
    it('judges every combination of inputs, references and windows, and repeats what it has granted for ever', async () => {
      const tokens = await TokenNetwork.start(`combinations ${kind}`, kind)
      const { network } = tokens
      const fresh = [...(await tokens.issue(400))]
      const take = (): StateRef => {
        const ref = fresh.shift()
        if (ref === undefined) throw new Error('no tokens left')
        return ref
      }
      const spentInput = take()
      const spentReference = take()
      const spender = tokens.body({ inputs: [spentInput, spentReference] })
      expect(verdictOf(await tokens.askOne(tokens.request(spender)))).to.equal('signed')

      const { now } = network
      const windows: Readonly<Record<(typeof windowCases)[number], TimeWindow | undefined>> = {
        none: undefined,
        open: { from: now, until: plus(now, { hours: 1 }) },
        closed: { until: now },
        'not yet open': { from: plus(now, { hours: 1 }) },
      }
      const laterSpent: StateRef[] = []
      const cases: Asked[] = inputCases.flatMap((inputs) =>
        referenceCases.flatMap((references) =>
          windowCases.map((window): Asked => {
            const a = take()
            const b = take()
            const used = {
              none: [],
              unspent: [a],
              spent: [spentInput],
              'unspent and spent': [a, spentInput],
              repeated: [a, a],
            }[inputs]
            const read = {
              none: [],
              unspent: [b],
              spent: [spentReference],
              'same as an input': used.slice(0, 1),
              repeated: [b, b],
            }[references]
            const chosen = windows[window]
            const body = tokens.body({
              inputs: used,
              references: read,
              ...(chosen === undefined ? {} : { window: chosen }),
            })
            const malformed =
              inputs === 'repeated' ||
              references === 'repeated' ||
              (references === 'same as an input' && inputs !== 'none')
            const conflict = inputs.includes('spent') && inputs !== 'unspent' ? spentInput : undefined
            const stale = references === 'spent' ? spentReference : undefined
            const expected = malformed
              ? 'transaction-malformed'
              : conflict !== undefined || stale !== undefined
                ? 'state-consumed'
                : window === 'closed' || window === 'not yet open'
                  ? 'time-window-closed'
                  : 'signed'
            if (expected === 'signed' && references === 'unspent') laterSpent.push(b)
            return {
              name: `inputs ${inputs}, references ${references}, window ${window}`,
              body,
              expected,
              conflict: expected === 'state-consumed' ? (conflict ?? stale) : undefined,
            }
          }),
        ),
      )
      const judge = async (phase: string, asked: readonly Asked[]) => {
        const replies = await tokens.ask(asked.map(({ body }) => tokens.request(body)))
        for (const [index, { name, body, expected, conflict }] of asked.entries()) {
          const reply = replies[index] ?? {}
          expect(verdictOf(reply), `${phase}: ${name}`).to.equal(expected)
          if (conflict !== undefined) {
            expect(reply.ref, name).to.equal(showRef(conflict))
            expect(reply.consumedBy, name).to.equal(sealBody(spender).id)
          }
          if (expected === 'signed') {
            expect(reply.signature?.by).to.equal(network.party('Notary').key)
            expect(
              reply.signature !== undefined &&
                verifyTransactionSignature(network.map.id, sealBody(body).id, reply.signature),
            ).to.equal(true)
          }
        }
      }
      await judge('first', cases)
      await judge('again', cases)

      // References that were granted are spent, every window closes, the notary is killed: what was granted stays so.
      expect(verdictOf(await tokens.askOne(tokens.request(tokens.body({ inputs: laterSpent }))))).to.equal('signed')
      await network.advanceBy({ days: 1 })
      await network.crash('Notary')
      await network.restart('Notary')
      await judge(
        'a day later',
        cases.filter(({ expected, name }) => expected !== 'time-window-closed' && !name.includes('not yet')),
      )

      // What was granted consumed its inputs, and what was refused consumed nothing.
      const inputsOf = (wanted: (one: Asked) => boolean) =>
        cases.filter(wanted).flatMap(({ body }) => body.inputs.filter((ref) => ref !== spentInput))
      const granted = inputsOf(({ expected }) => expected === 'signed')
      const refused = [...new Set(inputsOf(({ expected }) => expected !== 'signed'))]
      const probe = (refs: readonly StateRef[]) =>
        tokens.ask(refs.map((ref) => tokens.request(tokens.body({ inputs: [ref] }))))
      expect((await probe(granted)).map(verdictOf)).to.deep.equal(granted.map(() => 'state-consumed'))
      expect((await probe(refused)).map(verdictOf)).to.deep.equal(refused.map(() => 'signed'))
    })

    it('goes by its own clock, whatever time it is for whoever asks', async () => {
      const tokens = await TokenNetwork.start(`clock ${kind}`, kind)
      const { network } = tokens
      const [first, second, third] = await tokens.issue(3)
      if (first === undefined || second === undefined || third === undefined) throw new Error('no tokens')
      const thisHour = { from: network.now, until: plus(network.now, { hours: 1 }) }
      const ask = async (input: StateRef) =>
        verdictOf(await tokens.askOne(tokens.request(tokens.body({ inputs: [input], window: thisHour }))))
      network.setClockOffset('Alice', { hours: 5 })
      expect(await ask(first), 'the caller is late').to.equal('signed')
      network.setClockOffset('Alice', { hours: 0 })
      network.setClockOffset('Notary', { hours: 5 })
      expect(await ask(second), 'the notary is late').to.equal('time-window-closed')
      network.setClockOffset('Notary', { hours: -5 })
      expect(await ask(third), 'the notary is early').to.equal('time-window-closed')
      network.setClockOffset('Notary', { hours: 0 })
      expect(await ask(second), 'what was refused is free').to.equal('signed')
    })

    it('wants the request signed by the party that sends it, over this very transaction', async () => {
      const tokens = await TokenNetwork.start(`signature ${kind}`, kind)
      const [ref, other] = await tokens.issue(2)
      if (ref === undefined || other === undefined) throw new Error('no tokens')
      const body = tokens.body({ inputs: [ref] })
      const honest = tokens.request(body)
      const forged = { ...honest, callerSignature: tokens.request(tokens.body({ inputs: [other] })).callerSignature }
      expect(verdictOf(await tokens.askOne(forged))).to.equal('signature-invalid')
      expect(verdictOf(await tokens.askOne({ ...honest, callerSignature: '' }))).to.equal('signature-invalid')
      // Mallory sends what Alice has signed, and what Mallory herself has signed as if she were Alice.
      expect(verdictOf(await tokens.askOne(honest, { caller: 'Mallory' }))).to.equal('signature-invalid')
      expect(verdictOf(await tokens.askOne(tokens.request(body, { caller: 'Mallory' })))).to.equal('signature-invalid')
      expect(verdictOf(await tokens.askOne(honest))).to.equal('signed')
    })

    it('signs only under its own name', async () => {
      const tokens = await TokenNetwork.start(`name ${kind}`, kind)
      const [ref] = await tokens.issue(1)
      if (ref === undefined) throw new Error('no token')
      const elsewhere = tokens.request(tokens.body({ inputs: [ref], notary: tokens.network.party('Other') }))
      expect(verdictOf(await tokens.askOne(elsewhere))).to.equal('notary-unknown')
      // A party that is no notary is none either when it is asked as one.
      const own = tokens.request(tokens.body({ inputs: [ref], notary: tokens.network.party('Mallory') }), {
        type: 'tearOff',
      })
      expect(verdictOf(await tokens.askOne(own, { notary: 'Mallory' }))).to.equal('notary-unknown')
      expect(verdictOf(await tokens.askOne(tokens.request(tokens.body({ inputs: [ref] }))))).to.equal('signed')
    })

    it('refuses more inputs than a transaction may have, and takes as many as it may', async () => {
      const tokens = await TokenNetwork.start(`many ${kind}`, kind)
      const most = ledgerLimits.componentsPerTransaction
      const refs = [...(await tokens.issue(most)), ...(await tokens.issue(1))]
      const tooMany = await tokens.askOne(tokens.request(tokens.body({ inputs: refs })))
      expect(tooMany.error).to.be.oneOf(['transaction-malformed', 'transaction-altered'])
      expect(verdictOf(await tokens.askOne(tokens.request(tokens.body({ inputs: refs.slice(0, most) }))))).to.equal(
        'signed',
      )
    })
  })
}

describe('A validating notary', () => {
  it('is not content with a tear-off', async () => {
    const tokens = await TokenNetwork.start('torn', 'validating')
    const [ref] = await tokens.issue(1)
    if (ref === undefined) throw new Error('no token')
    const body = tokens.body({ inputs: [ref] })
    expect(verdictOf(await tokens.askOne(tokens.request(body, { type: 'tearOff' })))).to.equal('transaction-malformed')
    expect(verdictOf(await tokens.askOne(tokens.request(body)))).to.equal('signed')
  })

  it('refuses what breaks a contract, what a signer has not signed, and what stands under another notary', async () => {
    const tokens = await TokenNetwork.start('validates', 'validating')
    const [ref] = await tokens.issue(1)
    if (ref === undefined) throw new Error('no token')
    const broken = tokens.request(tokens.body({ inputs: [ref], number: -1 }))
    expect(verdictOf(await tokens.askOne(broken))).to.equal('contract-violated')
    const body = tokens.body({ inputs: [ref] })
    const whole = tokens.request(body)
    if (whole.type !== 'whole') throw new Error('not whole')
    const unsigned = { ...whole, transaction: { ...whole.transaction, signatures: [] } }
    expect(verdictOf(await tokens.askOne(unsigned))).to.equal('signature-missing')
    const other = tokens.body({ inputs: [ref], notary: tokens.network.party('Other') })
    const foreign = await tokens.askOne(tokens.request(other), { notary: 'Other' })
    // The other notary does not hold the state; asked for its history, this party gives none.
    expect(foreign.error).to.be.oneOf(['notary-unknown', 'state-unknown', 'message-invalid'])
    expect(verdictOf(await tokens.askOne(whole))).to.equal('signed')
  })
})

describe('A non-validating notary', () => {
  it('is never shown what it need not see', async () => {
    const tokens = await TokenNetwork.start('private', 'nonValidating')
    const [ref] = await tokens.issue(1)
    if (ref === undefined) throw new Error('no token')
    const text = JSON.stringify(tokens.request(tokens.body({ inputs: [ref], number: 123_456_789 })))
    expect(text).to.contain(ref.transaction)
    for (const hidden of ['123456789', 'token/Token', 'token/Move', '"salt"']) expect(text).not.to.contain(hidden)
  })

  it('refuses a tear-off that hides an input or a reference', async () => {
    const tokens = await TokenNetwork.start('hiding', 'nonValidating')
    const [a, b] = await tokens.issue(2)
    if (a === undefined || b === undefined) throw new Error('no tokens')
    const body = tokens.body({ inputs: [a], references: [b] })
    const request = tokens.request(body)
    if (request.type !== 'tearOff') throw new Error('not torn')
    for (const shown of ['inputs', 'references']) {
      const hiding = tearOff(sealBody(body).id, componentsOf(body), (group) => group === shown)
      expect(verdictOf(await tokens.askOne({ ...request, tearOff: hiding })), shown).to.equal('transaction-malformed')
    }
    expect(verdictOf(await tokens.askOne(request))).to.equal('signed')
  })
})
