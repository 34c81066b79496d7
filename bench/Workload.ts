/**
 * A benchmark: one promise about speed, measured. It says what it measures, what it does not, and on what terms, so
 * that a figure is never read for more than it is.
 */
export type Figure = {
  readonly value: number
  readonly unit: string
  /** Which way is better; `neither` is context, and is not compared with the baseline. */
  readonly better: 'more' | 'less' | 'neither'
}

export type Figures = Readonly<Record<string, Figure>>

export const more = (value: number, unit: string): Figure => ({ value, unit, better: 'more' })
export const less = (value: number, unit: string): Figure => ({ value, unit, better: 'less' })
export const context = (value: number, unit: string): Figure => ({ value, unit, better: 'neither' })

/** What the runner gives a workload for one repetition. */
export type Bench = {
  /** Tiny sizes that only show that the workload runs. */
  readonly quick: boolean
  /** An empty folder on the disk that is measured; removed afterwards. */
  readonly folder: string
  /** Where stores that take long to make are kept between runs. */
  readonly keptFolder: string
  /** The most events or spent states that a workload about a long life goes up to. Default {@link defaultLargest}. */
  readonly largest?: number
  /** Hears of what takes long. */
  readonly tell?: (line: string) => void
}

export const defaultLargest = 1_000_000

/** Ten times as much, and again, up to the largest that was asked for. */
export const sizesUpTo = ({ largest = defaultLargest }: Bench, first: number): readonly number[] => {
  const sizes: number[] = []
  for (let size = Math.min(first, largest); size <= largest; size *= 10) sizes.push(size)
  return sizes
}

export const inWords = (size: number): string => size.toLocaleString('en')

export type Workload = {
  readonly name: string
  readonly measures: string
  readonly doesNotMeasure: string
  readonly durability: string
  readonly seed: string
  /** Short runs are repeated; the runner reports the median and the spread. */
  readonly repetitions: number
  /** Runs that are made first and not counted: a node that serves has long been compiled. Default 0. */
  readonly warmUps?: number
  readonly run: (bench: Bench) => Promise<Figures>
}

/** Work is laid out by number, so there is nothing to draw; only salts and ids come from the operating system. */
export const noSeed = 'none: the same work every time; only salts and ids are random'
export const fullDurability = 'SQLite WAL with synchronous=FULL: every tick is synced to the disk before it counts'
