/**
 * What the holder of a token may do. `admin` includes everything; every other permission stands for itself, so what
 * is not granted is refused.
 */
import * as t from 'io-ts'
import { expecting } from '../encoding/expecting.js'
import { operatorLimits } from './limits.js'

/** A permission as tokens name it. */
export interface PermissionBrand {
  readonly Permission: unique symbol
}

/**
 * `view`, `operate` or `admin`; `start:` and the name of a flow, or `signal:` and the name of a signal, or a beginning of
 * names and `*`; or a word of the app's own, such as `chores:manage`. Whoever may operate may send every signal.
 */
const permissionPattern =
  /^(view|operate|admin|(start|signal):[\w./-]*\*?|(?!start:|signal:)[a-z][a-z0-9-]*:[a-z][a-z0-9-]*)$/

/** Codec of a permission. */
export const PermissionC = expecting(
  'view, operate, admin, start:a-flow, start:some/*, signal:a-signal, or a word of the app such as chores:manage',
  t.brand(
    t.string,
    (text): text is t.Branded<string, PermissionBrand> =>
      text.length <= operatorLimits.permissionLength &&
      permissionPattern.test(text) &&
      text !== 'start:' &&
      text !== 'signal:',
    'Permission',
  ),
)
/** What the holder of a token may do. */
export type Permission = t.TypeOf<typeof PermissionC>

/** What a client must be allowed to start a flow. The flows of every node act in its party's name whatever the app says. */
export const permissionToStart = (flow: string): string => (flow.startsWith('carillon/') ? 'admin' : `start:${flow}`)

/** Whether one granted permission covers what is needed. */
const covers = (granted: string, needed: string): boolean =>
  granted === 'admin' ||
  granted === needed ||
  (granted === 'operate' && needed.startsWith('signal:')) ||
  (/^(start|signal):/.test(granted) && granted.endsWith('*') && needed.startsWith(granted.slice(0, -1)))

/** One permission, or several of which each is enough. */
export type NeededPermission = string | readonly string[]

/** Whether any of the granted permissions covers what is needed. */
export const isGranted = (granted: readonly string[], needed: NeededPermission): boolean =>
  [needed].flat().some((each) => granted.some((permission) => covers(permission, each)))
