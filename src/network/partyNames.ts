/**
 * The names parties may have in a local network: each is the name of a folder on every system, and no two are the same
 * there.
 */
import { CarillonError } from '../errors/CarillonError.js'

const pattern = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}_-])?$/u
const longest = 64

/** What whoever changes the network holds meanwhile, in the network's folder. */
export const lockFile = 'lock.db'

/** The network's own files, in the folder where those of the parties lie. */
const reserved = ['root.key', 'root.secret', 'root.pem', 'network.json', lockFile]

// Folders on some systems do not tell capitals from small letters.
const folded = (name: string): string => name.toLowerCase()

/** Refuses names that could not be folders, or be told apart from each other and from those that are taken. */
export const assertPartyNames = (names: readonly string[], taken: readonly string[] = []): void => {
  const seen = new Set([...reserved, ...taken.map(folded)])
  for (const name of names) {
    if (!pattern.test(name) || name.length > longest)
      throw new CarillonError(
        'usage',
        `"${name}" cannot name a party here. Use letters, digits, spaces, dots and dashes, ${longest} at most.`,
      )
    if (seen.has(folded(name)))
      throw new CarillonError('usage', `The name ${name} is taken. Each party needs a name of its own.`)
    seen.add(folded(name))
  }
}
