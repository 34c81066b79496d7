/**
 * The controls of a virtual clock: play, pause, faster, slower, and a jump to what is due next.
 */
import { useState } from 'preact/hooks'
import type { ClockState } from '../../http/answers.js'
import { post } from '../api.js'
import { useGet } from '../useLive.js'

const speeds = [1, 10, 60, 600, 3_600, 86_400, 604_800] as const
const names: Readonly<Record<number, string>> = {
  1: '1×',
  10: '10×',
  60: '1 min/s',
  600: '10 min/s',
  3600: '1 h/s',
  86400: '1 day/s',
  604800: '1 week/s',
}

export const ClockControls = ({ nowMs }: { readonly nowMs: number }) => {
  const asking = useGet<ClockState>('/clock', {}, 0)
  const [turned, setTurned] = useState<ClockState>()
  const clock = turned ?? (asking.asked.state === 'answered' ? asking.asked.answer : undefined)
  if (clock?.virtual !== true) return null
  const turn = (action: string, speed?: number) => (): void => {
    void post<ClockState>('/clock', { action, ...(speed === undefined ? {} : { speed }) }).then(setTurned, asking.again)
  }
  return (
    <div class="clock-controls" role="group" aria-label="Virtual clock">
      <time>{new Date(nowMs).toISOString().slice(0, 16).replace('T', ' ')}</time>
      <button
        type="button"
        onClick={turn(clock.playing ? 'pause' : 'play', clock.speed)}
        aria-label={clock.playing ? 'Pause' : 'Play'}
        title={clock.playing ? 'Pause' : 'Play'}
      >
        {clock.playing ? '❚❚' : '▶'}
      </button>
      <button
        type="button"
        onClick={turn('jump')}
        aria-label="Jump to what is due next"
        title="Jump to what is due next"
      >
        ⇥
      </button>
      <select
        aria-label="Speed"
        value={String(clock.speed)}
        onChange={({ currentTarget }) => turn('play', Number(currentTarget.value))()}
      >
        {speeds.map((speed) => (
          <option key={speed} value={String(speed)}>
            {names[speed]}
          </option>
        ))}
      </select>
    </div>
  )
}
