/**
 * Says where the flow is, for people. The text is no part of the identity, so it can be reworded at any time.
 */
import { canonicalText, utf8Length } from '../../encoding/canonical.js'
import { valueAnswer } from '../Answer.js'
import { clipLabel } from '../clipLabel.js'
import { defineOperation } from '../defineOperation.js'
import type { FlowReads } from '../FlowReads.js'

export type Progress = { readonly kind: 'progress'; readonly label: string }

export const progress = defineOperation<Progress, FlowReads>({
  kind: 'progress',
  isRead: true,
  identity: () => ({}),
  label: ({ label }) => `progress "${label}"`,
  decide: () => valueAnswer(undefined),
  // Once in the label and once as the progress of the flow.
  recordedBytes: ({ label }) => 2 * utf8Length(canonicalText(clipLabel(label))),
})
