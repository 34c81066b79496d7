/**
 * The app of an oracle: its sheets and its answers. It knows nothing of swaps.
 */
import { defineApp } from 'carillon'
import { Announce } from './Announce.js'
import { AnswerQuery, SignFixes } from './answer.js'
import { RateSheet } from './RateSheet.js'

export const oracleApp = defineApp({
  name: 'rates-oracle',
  states: [RateSheet],
  flows: [Announce, AnswerQuery, SignFixes],
})
