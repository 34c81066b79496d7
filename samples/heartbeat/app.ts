/**
 * The app: what a node needs to know to let hearts beat.
 */
import { defineApp } from 'carillon'
import { Beat } from './flows/Beat.js'
import { SkipMissedBeats } from './flows/SkipMissedBeats.js'
import { StartHeartbeat } from './flows/StartHeartbeat.js'
import { StopHeartbeat } from './flows/StopHeartbeat.js'
import { Heartbeat } from './Heartbeat.js'

export const app = defineApp({
  name: 'heartbeat',
  version: '1.0.0',
  states: [Heartbeat],
  flows: [StartHeartbeat, Beat, SkipMissedBeats, StopHeartbeat],
})
