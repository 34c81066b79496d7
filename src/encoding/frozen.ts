/**
 * Makes plain data unchangeable, all the way down. What was encoded, verified or handed to several readers must
 * not change afterwards; an attempt to change it throws where it is made.
 */
const isPlain = (value: object): boolean => {
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Freezes lists and plain objects in place; instances of classes are their own business. */
export const frozen = <A>(value: A): A => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || !isPlain(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) frozen(member)
  return value
}
