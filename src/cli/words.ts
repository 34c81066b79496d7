/**
 * The words of the terminal: those of every surface, and the colour that goes with each condition of a flow.
 */
import type { FlowStatus } from '../flow/FlowRow.js'
import type { TextTone } from './Terminal.js'

export { shortId, shortRef, showCount, showDistance, showInstant, showJson, showSecond } from '../operator/words.js'
export { showLateness } from '../agenda/why.js'

export const toneOfStatus = (status: FlowStatus): TextTone | undefined => {
  switch (status) {
    case 'completed':
      return 'green'
    case 'failed':
    case 'killed':
      return 'red'
    case 'parked':
    case 'paused':
    case 'refused':
      return 'yellow'
    case 'running':
      return 'cyan'
    case 'superseded':
    case 'continued':
      return undefined
  }
}
