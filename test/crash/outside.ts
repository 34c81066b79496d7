/** The outside effects of the campaign's flows: a line each, on the disk before its step goes on. */
import { open } from 'node:fs/promises'
import type { FlowBody, FlowIo } from '../../src/index.js'
import type { StepContext } from '../../src/entries/types.js'
import { lineOf, type Effect } from './campaignLines.js'

/** Where the effects go, and what happens right after each; the child sets it before it starts its node. */
export type Outside = { file: string; taken: (effect: Effect) => void }
export const outside: Outside = { file: '', taken: () => undefined }

let effects = 0

/** After the line is on the disk, time passes in which a kill may hit. */
const takeEffect = async (name: string, flow: string, context: StepContext): Promise<string> => {
  const receipt = `${process.pid}-${(effects += 1)}`
  const { idempotencyKey: key, term } = context
  const effect: Effect = { key, term, process: process.pid, flow, name, receipt }
  // Not in the way of the loop, so that kills hit ticks and commits as well as effects.
  const file = await open(outside.file, 'a')
  try {
    await file.write(lineOf(effect))
    await file.sync()
  } finally {
    await file.close()
  }
  outside.taken(effect)
  await new Promise((resolve) => setTimeout(resolve, effects % 8))
  return receipt
}

/** A step with an outside effect; gives the receipt of it. */
export const effect = (io: FlowIo, name: string): FlowBody<string> =>
  io.step(name, (context) => takeEffect(name, io.flowId, context))
