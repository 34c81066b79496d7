/**
 * Where a replay takes its log from: an exported file, plain or compressed; the folder of a store; or anything that
 * can be read tick by tick.
 */
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { CarillonError } from '../../errors/CarillonError.js'
import type { EncodedTick } from '../../log/Tick.js'
import { readLines } from '../../history/readLines.js'
import { readExport } from '../../history/readExport.js'
import { openStoreLog } from '../../folder/readStore.js'

/** A log to be replayed: the path of an export or of a store's folder, a node or store, or the ticks themselves. */
export type ReplaySource =
  | string
  | AsyncIterable<EncodedTick>
  | { readonly readLog: () => AsyncIterable<EncodedTick> }
  | { readonly read: (fromRevision: number) => AsyncIterable<EncodedTick> }

async function* fromFile(file: string): AsyncGenerator<EncodedTick> {
  const bytes = createReadStream(file)
  const input = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
  for await (const { tick } of readExport(readLines(input, file))) yield tick
}

async function* fromFolder(folder: string): AsyncGenerator<EncodedTick> {
  const log = openStoreLog(folder)
  try {
    yield* log.read(0)
  } finally {
    await log.close()
  }
}

/** The ticks of a log, wherever it is. */
export const openReplaySource = (source: ReplaySource): AsyncIterable<EncodedTick> => {
  if (typeof source !== 'string') {
    if ('readLog' in source) return source.readLog()
    return 'read' in source ? source.read(0) : source
  }
  if (!existsSync(source))
    throw new CarillonError(
      'import-invalid',
      `There is no file or folder ${source}. Give an export made by "carillon log export", or the folder of a store.`,
      { file: source },
    )
  return statSync(source).isDirectory() ? fromFolder(source) : fromFile(source)
}
