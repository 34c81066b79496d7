/**
 * The small parts every view is made of: cards, lamps, buttons, and what is shown while there is nothing to show.
 */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { messageOf, type CarillonError } from '../../errors/CarillonError.js'
import { isMissing } from '../api.js'
import { useEscape } from '../useEscape.js'
import type { Asking } from '../useLive.js'
import { linkTo } from '../useRoute.js'

export const Card = ({
  title,
  aside,
  children,
  flush = false,
}: {
  readonly title?: string
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
  readonly flush?: boolean
}) => (
  <section class={`card${flush ? ' flush' : ''}`}>
    {title === undefined && aside === undefined ? null : (
      <header>
        {title === undefined ? <span /> : <h2>{title}</h2>}
        <div class="aside">{aside}</div>
      </header>
    )}
    {children}
  </section>
)

export type LampTone = 'green' | 'blue' | 'amber' | 'red' | 'grey'

export const Lamp = ({ tone, text }: { readonly tone: LampTone; readonly text: string }) => (
  <span class={`lamp ${tone}`}>
    <i aria-hidden="true" />
    {text}
  </span>
)

const tones: Readonly<Record<string, LampTone>> = {
  completed: 'green',
  refused: 'amber',
  running: 'blue',
  started: 'blue',
  scheduled: 'blue',
  paused: 'grey',
  closed: 'grey',
  superseded: 'grey',
  continued: 'grey',
  dismissed: 'grey',
  parked: 'red',
  'parked-flow': 'red',
  failed: 'red',
  ended: 'red',
  killed: 'red',
  missed: 'amber',
  'start-failed': 'amber',
  hanging: 'amber',
}

const shown: Readonly<Record<string, string>> = {
  ended: 'failed',
  'parked-flow': 'parked',
  'start-failed': 'start failed',
}

/** A condition of a flow, an activity or an attempt, with its colour. */
export const Condition = ({ of }: { readonly of: string }) => <Lamp tone={tones[of] ?? 'grey'} text={shown[of] ?? of} />

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <strong>{title}</strong>
    {children === undefined ? null : <p>{children}</p>}
  </div>
)

/** For an address where nothing is. */
export const Nothing = ({ children }: { readonly children?: ComponentChildren }) => (
  <Empty title="There is nothing here.">
    {children} <a href={linkTo('overview')}>To the overview</a> <a href={linkTo('vault')}>To the vault</a>
  </Empty>
)

export const Failure = ({ error, again }: { readonly error: CarillonError; readonly again: () => void }) => (
  <div class="empty failure" role="alert">
    <strong>{error.code === 'permission-missing' ? 'Your token does not allow this.' : 'That did not work.'}</strong>
    <p>{error.message}</p>
    <button type="button" onClick={again}>
      Try again
    </button>
  </div>
)

/** Shows an answer once it is there; until then, or instead, what there is to say. */
export function Answered<A>({
  asking,
  children,
}: {
  readonly asking: Asking<A>
  readonly children: (answer: A) => ComponentChildren
}) {
  const { asked, again } = asking
  if (asked.state === 'refused' && isMissing(asked.error)) return <Nothing>{asked.error.message}</Nothing>
  if (asked.state === 'asking') return <div class="waiting" role="status" aria-label="Loading" />
  if (asked.state === 'refused') return <Failure error={asked.error} again={again} />
  return <>{children(asked.answer)}</>
}

/** A button that does something on the node, and says how it went. */
export const Act = ({
  label,
  act,
  done,
  confirm,
  check,
  weight = 'plain',
  disabled = false,
  submits = false,
}: {
  readonly label: string
  readonly act: () => Promise<unknown>
  readonly done?: (() => void) | undefined
  readonly confirm?: string | undefined
  /** Throws what is wrong with what was typed, before anything is asked. */
  readonly check?: (() => unknown) | undefined
  readonly weight?: string
  readonly disabled?: boolean
  /** Whether Enter in a field of its form presses it. */
  readonly submits?: boolean
}) => {
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string>()
  const [asking, setAsking] = useState(false)
  const group = useRef<HTMLSpanElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const wasAsking = useRef(false)
  // Before it is painted, so that a key that is pressed at once meets what is seen.
  useLayoutEffect(() => {
    // Whoever has only a keyboard stays where they were: at first at the way back, since the other way is for good.
    if (asking) group.current?.querySelector<HTMLElement>('button:last-child')?.focus()
    else if (wasAsking.current) button.current?.focus()
    wasAsking.current = asking
  }, [asking])
  const go = (): void => {
    setAsking(false)
    setBusy(true)
    setTrouble(undefined)
    act().then(
      () => {
        setBusy(false)
        done?.()
      },
      (error: unknown) => {
        setBusy(false)
        setTrouble(messageOf(error))
      },
    )
  }
  const press = (): void => {
    setTrouble(undefined)
    try {
      check?.()
    } catch (error) {
      setTrouble(messageOf(error))
      return
    }
    if (confirm === undefined) go()
    else setAsking(true)
  }
  useEscape(asking, () => setAsking(false))
  if (asking)
    return (
      <span class="asking" role="group" aria-label={confirm} ref={group}>
        {confirm}{' '}
        <button type="button" class={weight} onClick={go}>
          {label}
        </button>
        <button type="button" onClick={() => setAsking(false)}>
          Back
        </button>
      </span>
    )
  return (
    <>
      <button
        ref={button}
        type={submits ? 'submit' : 'button'}
        class={weight}
        disabled={busy || disabled}
        onClick={press}
      >
        {busy ? '…' : label}
      </button>
      {trouble === undefined ? null : (
        <span class="trouble" role="alert">
          {trouble}
        </span>
      )}
    </>
  )
}

export const Tabs = <K extends string>({
  tabs,
  chosen,
  choose,
  label,
}: {
  readonly tabs: readonly (readonly [key: K, label: string, count?: number])[]
  readonly chosen: K
  readonly choose: (key: K) => void
  readonly label: string
}) => (
  <div class="tabs" role="group" aria-label={label}>
    {tabs.map(([key, text, number]) => (
      <button type="button" key={key} aria-pressed={key === chosen} onClick={() => choose(key)}>
        {text}
        {number === undefined || number === 0 ? null : <span class="badge">{number.toLocaleString('en')}</span>}
      </button>
    ))}
  </div>
)

export const FactList = ({
  facts,
}: {
  readonly facts: readonly (readonly [label: string, value: ComponentChildren])[]
}) => (
  <dl class="facts">
    {facts.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** Data over several lines. What a stack breaks into lines is broken here, too: escaped, it cannot be read. */
const dataText = (value: unknown): string =>
  value === undefined ? '' : JSON.stringify(value, null, 2).replaceAll(/(?<!\\)\\n/g, '\n')

export const Data = ({ value }: { readonly value: unknown }) => (
  // Focusable, so that it can be scrolled without a mouse.
  <pre class="data" tabIndex={0}>
    {dataText(value)}
  </pre>
)
