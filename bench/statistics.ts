/**
 * The few statistics benchmarks need.
 */
export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** How far the repetitions lie apart, as a share of their median, or of the largest where the median is 0; never infinite. */
export const spread = (values: readonly number[]): number => {
  const apart = Math.max(...values) - Math.min(...values)
  if (values.length < 2 || apart === 0) return 0
  return apart / (Math.abs(median(values)) || Math.max(...values.map(Math.abs)))
}
