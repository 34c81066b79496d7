/**
 * The words of the terminal: those of every surface, and the colour that goes with each condition of a flow.
 */
import type { FlowStatus } from '../flow/FlowRow.js'
import type { Tone } from './Terminal.js'

export {
  shortId,
  shortRef,
  showCount,
  showDistance,
  showInstant,
  showJson,
  showLateness,
  showSecond,
} from '../operator/words.js'

export const toneOfStatus = (status: FlowStatus): Tone | undefined => {
  switch (status) {
    case 'completed':
      return 'green'
    case 'failed':
    case 'killed':
      return 'red'
    case 'parked':
    case 'paused':
      return 'yellow'
    case 'running':
      return 'cyan'
    case 'superseded':
      return undefined
  }
}
