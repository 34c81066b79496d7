/** What must be true of a network once everyone can talk again, read from the logs of all its nodes. */
import { decodeEvent, digestViews, foldLog, showRef, verifyLog, type Node } from 'carillon'
import type { VirtualNetwork } from 'carillon/testing'
import type { TransactionBody } from '../../src/ledger/Transaction.js'

export type Verdict = {
  /** What is wrong, one sentence each. */
  readonly problems: readonly string[]
  readonly transactions: number
  readonly superseded: number
  readonly conflicts: number
}

type Held = {
  readonly holders: Map<string, string>
  readonly inputs: readonly string[]
  readonly participants: ReadonlySet<string>
}

/** The reasons for which a flow of the market may fail: it lost a race, or somebody said no. */
const expected = new Set(['state-consumed', 'signature-refused', 'session-ended'])

const partiesOf = (body: TransactionBody): readonly string[] =>
  body.outputs.flatMap(({ data }) =>
    (data as { readonly parties: readonly { readonly name: string }[] }).parties.map(({ name }) => name),
  )

export const judge = async (network: VirtualNetwork, names: readonly string[]): Promise<Verdict> => {
  const problems: string[] = []
  const transactions = new Map<string, Held>()
  const consumers = new Map<string, Map<string, string>>()
  const partiesOfState = new Map<string, readonly string[]>()
  const consumed = (ref: string, by: string, where: string): void => {
    const known = consumers.get(ref) ?? new Map<string, string>()
    consumers.set(ref, known.set(by, where))
  }
  let superseded = 0
  let conflicts = 0

  const readLog = async (name: string, node: Node): Promise<void> => {
    const unacknowledged = new Set<string>()
    for await (const { events, firstRevision } of node.readLog()) {
      for (const [index, line] of events.entries()) {
        const event = decodeEvent(line, firstRevision + index)
        if (event.type === 'MessageSent') unacknowledged.add(`${event.session} ${event.role} ${event.seq}`)
        if (event.type === 'MessageAcknowledged') unacknowledged.delete(`${event.session} ${event.role} ${event.seq}`)
        if (event.type === 'TransactionNotarised')
          for (const ref of event.inputs) consumed(showRef(ref), event.id, `${name} notarised`)
        if (event.type !== 'TransactionRecorded') continue
        const body = event.body as TransactionBody
        const inputs = body.inputs.map(showRef)
        for (const ref of inputs) consumed(ref, event.id, name)
        for (const place of body.outputs.keys()) partiesOfState.set(`${event.id}:${place}`, partiesOf(body))
        const participants = new Set([...partiesOf(body), ...inputs.flatMap((ref) => partiesOfState.get(ref) ?? [])])
        const held = transactions.get(event.id) ?? { holders: new Map<string, string>(), inputs, participants }
        if (held.holders.has(name)) problems.push(`${name} recorded ${event.id} twice`)
        held.holders.set(name, JSON.stringify(body))
        transactions.set(event.id, held)
      }
    }
    if (unacknowledged.size > 0) problems.push(`${name} has ${unacknowledged.size} messages that nobody acknowledged`)
  }

  const judgeFlows = async (name: string, node: Node): Promise<void> => {
    for (const flow of (await node.flows({ limit: 1_000 })).items) {
      const where = `${flow.name} (${flow.id}) of ${name}`
      if (flow.status === 'superseded') superseded += 1
      if (flow.status === 'completed' || flow.status === 'superseded') continue
      if (flow.status !== 'failed') {
        problems.push(
          `${where} is ${flow.status}, waiting for ${JSON.stringify(flow.waiting)}: ${JSON.stringify(flow.error)}`,
        )
        continue
      }
      // The first error of a chain of parties that told each other is what counts.
      const message = flow.error?.message ?? ''
      const code = String(flow.error?.details?.['code'] ?? flow.error?.code)
      const reason =
        code === 'counterparty-failed' && message.includes('was already consumed') ? 'state-consumed' : code
      if (reason === 'state-consumed') conflicts += 1
      const told =
        code === 'counterparty-failed' && (message.includes('refused to sign') || message.includes('bad number'))
      if (!expected.has(reason) && !told) problems.push(`${where} failed with ${code}: ${message}`)
    }
  }

  for (const name of names) {
    const node = network.node(name)
    await readLog(name, node)
    await judgeFlows(name, node)
    for (const problem of (await verifyLog(node.readLog())).problems)
      problems.push(`log of ${name}: ${JSON.stringify(problem)}`)
    const folded = await foldLog(node.readLog())
    if (digestViews(folded) !== (await node.viewsDigest()))
      problems.push(`the log of ${name} gives other views than it has`)
    folded.close()
  }
  for (const [ref, by] of consumers)
    if (by.size > 1)
      problems.push(`state ${ref} was consumed by ${[...by].map(([id, where]) => `${id} at ${where}`).join(' and ')}`)
  for (const [id, { holders, participants }] of transactions) {
    if (new Set(holders.values()).size > 1)
      problems.push(`transaction ${id} differs between ${[...holders.keys()].join(' and ')}`)
    for (const name of participants)
      if (!holders.has(name)) problems.push(`${name} takes part in transaction ${id} but does not hold it`)
  }
  return { problems, transactions: transactions.size, superseded, conflicts }
}
