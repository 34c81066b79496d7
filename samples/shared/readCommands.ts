/**
 * The commands of every transaction in a node's log, for samples that tell by them what happened.
 */
import { isRight } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Instant, Node } from 'carillon'
import { decodeEvent } from 'carillon/logs'

const BodyC = t.type({ commands: t.array(t.type({ type: t.string, data: t.unknown })) })

export type Commanded = {
  readonly commands: readonly { readonly type: string; readonly data: unknown }[]
  readonly at: Instant
  readonly revision: number
}

/** The transactions from a revision on, in order, until where the log ends. */
export const readCommands = async function* (node: Pick<Node, 'readLog'>, fromRevision = 0): AsyncGenerator<Commanded> {
  for await (const { firstRevision, at, events } of node.readLog(fromRevision))
    for (const [place, line] of events.entries()) {
      // Only transactions have commands, and decoding the other events would be most of the work.
      if (!line.includes('"TransactionRecorded"')) continue
      const revision = firstRevision + place
      const event = decodeEvent(line, revision)
      if (event.type !== 'TransactionRecorded') continue
      const body = BodyC.decode('text' in event.body ? JSON.parse(event.body.text) : event.body)
      if (isRight(body)) yield { commands: body.right.commands, at, revision }
    }
}
