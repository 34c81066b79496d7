/**
 * An operation as its record knows it: a digest to compare with, and a label for people. Only the kind and the identity
 * are in the digest.
 */
import { canonicalText } from '../encoding/canonical.js'
import { sha256 } from '../encoding/hash.js'
import type { Description } from '../flow/Description.js'
import { clipLabel } from '../flow/clipLabel.js'
import type { Identity } from '../flow/defineOperation.js'
import { invalidOperation } from '../flow/invalidOperation.js'
import { definitionOf, type AnyOperationDefinition, type Operation } from './Operation.js'

const digestLength = 16

/** What the record compares operations by. */
export const digestOf = (kind: string, identity: Identity): string =>
  sha256(`${kind}\n${canonicalText(identity)}`).slice(0, digestLength)

const labelOf = (definition: AnyOperationDefinition, operation: Operation): string | undefined => {
  try {
    return clipLabel(definition.label(operation))
  } catch {
    return undefined
  }
}

const invalidDigest = digestOf(invalidOperation.kind, {})

const describeAs = (definition: AnyOperationDefinition, operation: Operation): Description => {
  const digest = digestOf(definition.kind, definition.identity(operation))
  const label = labelOf(definition, operation)
  return label === undefined ? { kind: definition.kind, digest } : { kind: definition.kind, digest, label }
}

const ofPart = (description: Description, part: string | undefined): Description =>
  part === undefined ? description : { ...description, part }

/** `part` is the part of the flow that asks; undefined for the flow itself. */
export const describeOperation = (operation: Operation, part?: string): Description => {
  try {
    return ofPart(describeAs(definitionOf(operation), operation), part)
  } catch {
    // The flow asked for something that makes no sense and was told so; its record still says that it asked.
    const label = 'an operation that cannot be described'
    return ofPart({ kind: invalidOperation.kind, digest: invalidDigest, label }, part)
  }
}

/** An operation in the words of its record, with the part of the flow that asked, where there is one. */
export const nameOf = ({ kind, label, part }: Omit<Description, 'digest'>): string =>
  `${label ?? kind}${part === undefined ? '' : ` in part ${part}`}`

/** Said of the side that names no part, when the other side does. */
const partOf = ({ part }: Description, other: Description): string =>
  part === undefined && other.part !== undefined ? ' in the flow itself' : ''

/** The first way in which code and record differ, as a sentence; undefined when they agree. Labels are not compared. */
export const differenceBetween = (position: number, recorded: Description, coded: Description): string | undefined => {
  const isSameKind = recorded.kind === coded.kind
  const isSameDigest = recorded.digest === coded.digest
  if (isSameKind && isSameDigest && recorded.part === coded.part) return undefined
  const was = `${nameOf(recorded)}${partOf(recorded, coded)}`
  const is = `${nameOf(coded)}${partOf(coded, recorded)}`
  const otherwise = isSameKind && !isSameDigest ? ', with other arguments' : ''
  return `operation ${position} was recorded as ${was}; the code now asks for ${is}${otherwise}`
}
