/**
 * The few statistics benchmarks need.
 */
export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** How far the repetitions lie apart, as a share of their median; none when all are the same, be they 0. */
export const spread = (values: readonly number[]): number => {
  const apart = Math.max(...values) - Math.min(...values)
  return values.length < 2 || apart === 0 ? 0 : apart / Math.abs(median(values))
}
