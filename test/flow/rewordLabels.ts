/** Words the labels of all operations anew, as another release of Carillon would. */
import { operations } from '../../src/app/Operation.js'

type Wording = { label: (operation: never) => string }

/** Gives a way back to the labels of before. */
export const rewordLabels = (label: (kind: string) => string): (() => void) => {
  const kinds: readonly (readonly [string, Wording])[] = Object.entries<Wording>(operations)
  const before = kinds.map(([, definition]) => definition.label)
  for (const [kind, definition] of kinds) definition.label = () => label(kind)
  return () => {
    kinds.forEach(([, definition], index) => {
      definition.label = before[index]!
    })
  }
}
