/**
 * An operation as its record knows it: what replay compares, and a label for people.
 */
/** `part` is the part of the flow that asks; absent for the flow itself. */
export type Description = {
  readonly kind: string
  readonly digest: string
  readonly label?: string
  readonly part?: string
}
