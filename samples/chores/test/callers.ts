/**
 * People who ask for chores in the specs, and what they may do.
 */
import { choresPermissions, type Caller } from '../engine/index.js'

export const callerWith = (by: string, ...permissions: readonly string[]): Caller => ({
  by,
  may: (needed) => permissions.includes('admin') || permissions.includes(needed),
})

export const owner = callerWith('cli:owner', 'admin')
export const caretaker = callerWith('http:caretaker@127.0.0.1', choresPermissions.manage)
export const auditor = callerWith('http:auditor@127.0.0.1', choresPermissions.view)
export const stranger = callerWith('http:stranger@127.0.0.1', 'view', 'operate')
