/**
 * `carillon/events`: the public events of a node, and subscriptions to them.
 */
export type {
  PublicActivityEvent,
  EventPosition,
  FlowChangedEvent,
  FlowEndedEvent,
  FlowProgressedEvent,
  FlowStartedEvent,
  PublicNodeEvent,
  ProducedState,
  PublicError,
  PublicEvent,
  PublicEventBody,
  PublicEventType,
  PublicOrigin,
  RecordedCommand,
  SignalReceivedEvent,
  TransactionRecordedEvent,
} from '../log/PublicEvent.js'
export type { TakenEvent } from '../log/holdsEvent.js'
export { producedStates } from '../app/producedStates.js'
export type { Subscription } from '../subscription/callBack.js'
export type { PublicEventOf, SubscribeFrom, SubscribeOptions } from '../subscription/subscribe.js'
export type { CalledBack, Subscribe } from '../subscription/subscriber.js'
