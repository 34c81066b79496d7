/**
 * What the compiler knows of the client with the definitions of an app. This file is compiled by `npm run types` and never
 * run. Each line that is expected not to compile fails the build when it does.
 */
import type { Client, StateAndRef, VaultEntry } from 'carillon/client'
import type { Party } from '../../src/identity/Party.js'
import { AwaitStamp, Letter, Stamp, Write } from '../client/post.js'

export const callOf = async (client: Client): Promise<void> => {
  const to: string = await client.run(Write, { to: 'Ann', minutes: 1 })
  const cents: number = await (await client.start(AwaitStamp, {})).result()
  // @ts-expect-error -- minutes are a number
  await client.run(Write, { to, minutes: 'one' })
  // @ts-expect-error -- the input is not whole
  await client.start(Write, { to })
  // @ts-expect-error -- what a flow returns that is only named is not known
  const unknown: string = await client.run('post/Write', {})
  const found: StateAndRef<{ owner: Party; to: string; minutes: number }> | undefined = await client.find(Letter, 'Ann')
  const plain: VaultEntry | undefined = await client.find('post/Letter', 'Ann')
  await client.signal('f', Stamp, { cents })
  // @ts-expect-error -- cents are a number
  await client.signal('f', Stamp, { cents: unknown })
  for await (const event of client.subscribe({ from: 'start', types: ['FlowEnded'] })) {
    const { outcome } = event
    // @ts-expect-error -- other events have other fields
    const { produced } = event
    console.log(outcome, produced, found, plain)
  }
}
