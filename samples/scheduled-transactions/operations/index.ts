/**
 * The operations every network has. Which of them may be scheduled is the whitelist's word, not theirs.
 */
import { cryptoCreateAccount, cryptoDelete, cryptoTransfer, cryptoUpdateAccount } from './accounts.js'
import type { Operation } from './Operation.js'
import { consensusCreateTopic, consensusDeleteTopic, consensusSubmitMessage, consensusUpdateTopic } from './topics.js'

export const builtIn: readonly Operation[] = [
  ...[cryptoTransfer, cryptoCreateAccount, cryptoUpdateAccount, cryptoDelete],
  ...[consensusCreateTopic, consensusUpdateTopic, consensusDeleteTopic, consensusSubmitMessage],
]
