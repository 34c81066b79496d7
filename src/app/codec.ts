/**
 * The codecs that most states and flows are made of, under one name: the usual ones of io-ts, and our own.
 */
import * as t from 'io-ts'
import { IntegerC } from '../encoding/IntegerC.js'
import { JsonC } from '../encoding/JsonC.js'
import { PartyC } from '../identity/Party.js'
import { StateRefC } from '../ledger/StateRef.js'
import { InstantC } from '../time/Instant.js'

/** The codecs that most states and flows are made of. Whatever else io-ts has goes with them. */
export const codec = {
  string: t.string,
  number: t.number,
  boolean: t.boolean,
  null: t.null,
  integer: IntegerC,
  instant: InstantC,
  party: PartyC,
  stateRef: StateRefC,
  json: JsonC,
  literal: t.literal,
  array: t.readonlyArray,
  record: t.record,
  strict: t.strict,
  union: t.union,
} as const
