/**
 * `carillon/http`: the HTTP API and the dashboard of a node: serve them, and add panels, endpoints and verbs of an app.
 */

// App and node
export {
  defineVerb,
  defineVerbs,
  type Verb,
  type VerbAnswer,
  type VerbArgument,
  type VerbAsked,
  type VerbCaller,
  type VerbGroup,
  type VerbGroupDescription,
  type VerbOption,
  type VerbOptions,
} from '../http/AppVerb.js'
export { openControlSocket, type ControlOptions, type ControlSocket } from '../http/ControlSocket.js'

// HTTP and telemetry
export type { HttpOptions, HttpServer } from '../http/listenHttp.js'
export { readLocalToken, type LocalToken } from '../http/localToken.js'
export { serveHttp } from '../http/serveHttp.js'
export type { ServedNode } from '../http/ServedApi.js'
export { serveStandby, type ServedStandby } from '../http/serveStandby.js'
export {
  definePanel,
  type ActionAsked,
  type Block,
  type Cell,
  type Field,
  type Panel,
  type PanelAction,
  type PanelOptions,
  type Tone,
} from '../http/Panel.js'
export { defineEndpoint, type Endpoint, type EndpointAsked, type EndpointOptions } from '../http/Endpoint.js'
export { ClockControl } from '../http/ClockControl.js'
export { PermissionC, type NeededPermission, type Permission, type PermissionBrand } from '../operator/Permission.js'
export type { NewToken } from '../operator/operateTokens.js'
export type { Token, TokenId, TokenIdBrand, TokenNameBrand } from '../operator/Token.js'
