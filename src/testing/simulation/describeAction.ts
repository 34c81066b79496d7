/**
 * What happens in a simulation, in words.
 */
import { showSpan } from '../../agenda/why.js'
import type { Weather } from '../VirtualTransport.js'
import type { Action, OperatorAct, Plan } from './Plan.js'

const acts: Readonly<Record<OperatorAct, string>> = {
  drain: 'drains the node',
  endDraining: 'ends the draining of the node',
  trigger: 'triggers the next activity',
  pause: 'pauses the next activity',
  resume: 'resumes a paused activity',
}

const soon = (downMs: number): string => (downMs === 0 ? 'and starts again at once' : `for ${showSpan(downMs)}`)

const describeWeather = ({ minLatencyMs, maxLatencyMs, loss, duplication }: Weather): string =>
  `messages take ${minLatencyMs} to ${maxLatencyMs} ms, ${Math.round(loss * 100)} % are lost, ${Math.round(duplication * 100)} % come twice`

/** How a history begins, in sentences. */
export const describeBeginning = (
  { start, weather, stepFailures, remote, tickMs, versionsBehind }: Plan,
  parties: number,
): readonly string[] => [
  `it is ${start}`,
  ...(parties > 1 ? [describeWeather(weather)] : []),
  ...(tickMs === 0 ? [] : [`a tick takes ${tickMs} ms`]),
  ...(stepFailures === 0 ? [] : [`one step in ${stepFailures} fails`]),
  ...(versionsBehind === 0
    ? []
    : [`the app is ${versionsBehind === 1 ? 'one version' : `${versionsBehind} versions`} behind`]),
  ...(remote.length === 0
    ? []
    : [`${remote.join(' and ')} ${remote.length === 1 ? 'keeps its' : 'keep their'} log elsewhere`]),
]

/** An action as a sentence. */
export const describeAction = (action: Action): string => {
  switch (action.kind) {
    case 'work':
      return `it is the turn of ${action.party}`
    case 'crash':
      return `${action.party} is killed ${soon(action.downMs)}`
    case 'powerCut':
      return `the power of ${action.party} is to go out right ${action.side} its commit number ${action.commits + 1} from now, ${soon(action.downMs)}`
    case 'weather':
      return describeWeather(action.weather)
    case 'partition':
      return `the network falls apart: ${action.groups.map((group) => group.join(' and ')).join(' | ')}`
    case 'heal':
      return 'the network is whole again'
    case 'clock':
      return action.offsetMs === 0
        ? `the clock of ${action.party} is set right`
        : `the clock of ${action.party} is set ${showSpan(Math.abs(action.offsetMs))} ${action.offsetMs > 0 ? 'ahead' : 'back'}`
    case 'diskFull':
      return `the disk of ${action.party} refuses the next ${action.commits === 1 ? 'commit' : `${action.commits} commits`}`
    case 'diskSlow':
      return action.turns === 0 ? `the disk of ${action.party} is quick` : `the disk of ${action.party} is slow`
    case 'silence':
      return `the log of ${action.party} will not answer the next ${action.appends === 1 ? 'append' : `${action.appends} appends`}, ${action.arrives ? 'though it takes them' : 'nor take them'}`
    case 'takeover':
      return `another process takes over the node of ${action.party}${action.isAlone ? ', whose own is killed' : ''}`
    case 'rebuild':
      return action.from === 'log'
        ? `${action.party} is killed, and its views are rebuilt from its log`
        : `${action.party} is killed, and its store comes back from a backup of a backup`
    case 'upgrade':
      return `${action.party} is stopped, and starts with a later version of the app`
    case 'attack':
      return `${action.party} is up to something`
    case 'operate':
      return `the operator of ${action.party} ${acts[action.act]}`
  }
}
