/**
 * The command of a transaction that names none: everyone who takes part in what it consumes or produces signs for it. So it
 * asks for no fewer signatures than the default contract does.
 */
import { canonicalText } from '../encoding/canonical.js'
import type { PublicKey } from '../identity/PublicKey.js'
import { defineCommand } from '../ledger/Command.js'
import { TransactionBuilder } from '../ledger/TransactionBuilder.js'

/** The command of a transaction that names none. A contract can look for it like for any other. */
export const DefaultCommand = defineCommand({ type: 'carillon/Default' })

const text = canonicalText({ data: null, type: DefaultCommand.type })

/**
 * What a builder has gathered, with the default command where it has none. The builder itself stays as it is: what the
 * flow asked for is compared when it is run again.
 */
export const withDefaultCommand = (
  draft: TransactionBuilder,
  participants: () => readonly PublicKey[],
  me: PublicKey,
): TransactionBuilder => {
  if (draft.commands.length > 0) return draft
  const keys = [...new Set(participants())]
  const command = { type: DefaultCommand.type, data: undefined, text, signers: keys.length === 0 ? [me] : keys }
  return Object.assign(new TransactionBuilder(), draft, { commands: [command] })
}
