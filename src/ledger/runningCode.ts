/**
 * Which code of the app is running at this moment, in memory that another thread can read while this one is busy: a thread
 * runs one function at a time, so the process has one such register. Nothing is decided by it.
 */
import { inspectable } from '../errors/ErrorTrace.js'

const kinds = ['none', 'flow', 'contract', 'nextScheduledActivity', 'step'] as const

/** A function of an app, by what it is for. */
export type CodeKind = Exclude<(typeof kinds)[number], 'none'>

export const codeKinds: readonly string[] = kinds

/** Bytes of the subject that are kept: a ref or an id, a line break, and a name. */
const subjectBytes = 1_000

const headerBytes = 16

/** Counts up whenever a subject begins or ends; odd while there is one. Then the kind of code, and the subject's length. */
const header = new Int32Array(new SharedArrayBuffer(headerBytes + subjectBytes), 0, 4)
const subject = Buffer.from(header.buffer, headerBytes, subjectBytes)

/** To be handed to the thread that looks on. */
export const runningCodeMemory = header.buffer

const [turnAt, kindAt, lengthAt, ownerAt] = [0, 1, 2, 3] as const

/** What the code is running for begins: `owner` is the number of the node, `id` a ref or the id of a flow. */
export const beginSubject = (owner: number, id: string, name: string): void => {
  header[lengthAt] = subject.write(`${id}\n${name}`)
  header[ownerAt] = owner
  header[kindAt] = 0
  Atomics.add(header, turnAt, 1)
}

export const endSubject = (): void => {
  Atomics.add(header, turnAt, 1)
}

/** Runs a function of the app. */
export const runCode = <A>(kind: CodeKind, run: () => A): A => {
  const before = header[kindAt] ?? 0
  header[kindAt] = kinds.indexOf(kind)
  try {
    return run()
  } catch (error) {
    throw inspectable(error)
  } finally {
    header[kindAt] = before
  }
}
