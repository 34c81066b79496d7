/**
 * Every route of the API that does not come from an app.
 */
import type { Route } from './Route.js'
import { accessRoutes } from './routes/access.js'
import { agendaRoutes } from './routes/agenda.js'
import { documentRoutes } from './routes/document.js'
import { eventRoutes } from './routes/events.js'
import { flowRoutes } from './routes/flows.js'
import { logRoutes } from './routes/log.js'
import { nodeRoutes } from './routes/node.js'
import { operateRoutes } from './routes/operate.js'
import { panelRoutes } from './routes/panels.js'
import { signalRoutes } from './routes/signals.js'
import { vaultRoutes } from './routes/vault.js'
import { verbRoutes } from './routes/verbs.js'

export const builtInRoutes: readonly Route[] = [
  ...nodeRoutes,
  ...agendaRoutes,
  ...vaultRoutes,
  ...flowRoutes,
  ...signalRoutes,
  ...logRoutes,
  ...eventRoutes,
  ...operateRoutes,
  ...panelRoutes,
  ...verbRoutes,
  ...accessRoutes,
  ...documentRoutes,
]
