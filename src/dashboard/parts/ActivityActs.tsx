/**
 * What an operator may do about an activity, as buttons. The node itself refuses what does not fit.
 */
import type { ActivityAction, AgendaEntry } from '../../http/answers.js'
import { operate } from '../api.js'
import { Act } from './ui.js'

const actionsFor: Readonly<Partial<Record<AgendaEntry['standing'], readonly ActivityAction[]>>> = {
  scheduled: ['trigger', 'pause'],
  paused: ['resume', 'trigger'],
  parked: ['retry', 'dismiss'],
  missed: ['retry', 'dismiss'],
}

const labels: Readonly<Record<ActivityAction, string>> = {
  trigger: 'Run now',
  retry: 'Retry',
  dismiss: 'Dismiss',
  pause: 'Pause',
  resume: 'Resume',
}

const actionsOf = ({ standing, error }: AgendaEntry): readonly ActivityAction[] => {
  // A flow that failed and left its state unconsumed.
  if (standing === 'ended' && error !== undefined) return ['retry', 'dismiss']
  return actionsFor[standing] ?? []
}

export const ActivityActs = ({ activity, done }: { readonly activity: AgendaEntry; readonly done: () => void }) => (
  <>
    {actionsOf(activity).map((action) => (
      <Act
        key={action}
        label={labels[action]}
        weight={action === 'dismiss' ? 'danger' : action === 'retry' ? 'primary' : 'plain'}
        confirm={action === 'dismiss' ? 'It will not be started again.' : undefined}
        act={() => operate({ on: 'activity', action, ref: activity.ref })}
        done={done}
      />
    ))}
  </>
)
