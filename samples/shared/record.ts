/**
 * The codec of a record: its fields, and those that may be left out. Fields that it does not know are taken away.
 */
import * as t from 'io-ts'

/** A record whose fields are all there. */
export function record<P extends t.Props>(name: string, fields: P): t.ReadonlyC<t.ExactC<t.TypeC<P>>>
/** A record of which some fields may be left out. */
export function record<P extends t.Props, Q extends t.Props>(
  name: string,
  fields: P,
  optional: Q,
): t.ReadonlyC<t.IntersectionC<[t.ExactC<t.TypeC<P>>, t.ExactC<t.PartialC<Q>>]>>
export function record(name: string, fields: t.Props, optional?: t.Props): t.Mixed {
  const required = t.strict(fields)
  return optional === undefined
    ? t.readonly(required, name)
    : t.readonly(t.intersection([required, t.exact(t.partial(optional))]), name)
}
