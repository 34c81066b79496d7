/**
 * The page: a bar with the node's name and time, the views at the side, and the view that was chosen. Number keys go to
 * views, `/` to the search of the vault.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CarillonError } from '../errors/CarillonError.js'
import type { Live, Me } from '../http/answers.js'
import type { PanelSummary } from '../http/Panel.js'
import { chooseNode, errorOf, get, isSignedOut, operate, shareSession, signIn, signOut } from './api.js'
import { ClockControls } from './parts/ClockControls.js'
import { Guarded } from './parts/Guarded.js'
import { PanelLinks, Shell } from './parts/Shell.js'
import { Act, Lamp, Nothing } from './parts/ui.js'
import { useGet, useLive, type ConnectionState } from './useLive.js'
import { attentionCount } from './condition.js'
import { linkTo, useRoute, type RoutePlace } from './useRoute.js'
import { count, shownInstant } from './words.js'
import { Agenda } from './views/Agenda.js'
import { Attention } from './views/Attention.js'
import { SignInPage } from './views/SignInPage.js'
import { Flow, FlowsPage } from './views/Flows.js'
import { Guest } from './views/Guest.js'
import { Log } from './views/Log.js'
import { Occurrences } from './views/Occurrences.js'
import { Overview } from './views/Overview.js'
import { PanelPage } from './views/Panel.js'
import { Parties } from './views/Parties.js'
import { TokensPage } from './views/Tokens.js'
import { State, Vault } from './views/Vault.js'

const views = [
  ['overview', 'Overview'],
  ['agenda', 'Agenda'],
  ['attention', 'Attention'],
  ['occurrences', 'Occurrences'],
  ['flows', 'Flows'],
  ['vault', 'Vault'],
  ['log', 'Log'],
  ['parties', 'Parties'],
] as const

const titleOf = (view: string, { rest }: RoutePlace, panels: readonly PanelSummary[]): string =>
  views.find(([name]) => name === view)?.[1] ??
  (view === 'panel' ? (panels.find(({ name }) => name === rest[0])?.title ?? 'Panel') : 'Tokens')

const parents: Readonly<Record<string, string>> = { state: 'vault', flow: 'flows' }

/** What time it is on the node, between two words from it as well. */
const useNow = (live: Live | undefined): number => {
  const [now, setNow] = useState(Date.now())
  const heard = useRef({ at: 0, node: '', ahead: 0 })
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  if (live === undefined) return now
  const nodeMs = Date.parse(live.now)
  // Measured once for each word of the node; a clock that is virtual stands still between two of them.
  if (heard.current.at !== nodeMs || heard.current.node !== live.node)
    heard.current = { at: nodeMs, node: live.node, ahead: nodeMs - Date.now() }
  const { ahead } = heard.current
  return live.virtualTime || Math.abs(ahead) > standingApartMs ? nodeMs : Math.max(now + ahead, nodeMs)
}

/** Of an app that does not say which it is. */
const noVersion = '0.0.0'

/** A node whose clock is further away than this runs in a time of its own. */
const standingApartMs = 3_600_000

const connectionLamp = (connection: ConnectionState, live: Live) => {
  if (connection === 'lost') return <Lamp tone="red" text="not connected" />
  if (live.stopped) return <Lamp tone="red" text="stopped" />
  if (live.trouble !== undefined) return <Lamp tone="red" text={`cannot record: ${live.trouble.code}`} />
  return live.draining ? <Lamp tone="amber" text="draining" /> : <Lamp tone="green" text="live" />
}

/** What there is to say about the whole page, if anything: that the node is away, stands still, or has stopped. */
const Notice = ({ connection, live }: { readonly connection: ConnectionState; readonly live: Live }) => {
  const said =
    connection === 'lost'
      ? `The node does not answer: it has stopped, or is being started again. What you see is from ${shownInstant(live.now)}. This page goes on by itself as soon as the node is back.`
      : live.stopped
        ? 'The node has stopped and records nothing more. The reason is in the terminal or the journal it was started in; start it again there.'
        : live.trouble !== undefined
          ? `Nothing can be recorded at the moment, and the node tries again by itself. ${live.trouble.message}`
          : undefined
  return said === undefined ? null : (
    <p class="notice" role="alert">
      {said}
    </p>
  )
}

/** The name of the tab says which view of which node it is. */
const useTitle = (title: string, node: string | undefined): void =>
  useEffect(() => {
    document.title = [title, node, 'Carillon'].filter((part) => part !== undefined).join(' · ')
  }, [title, node])

const useKeys = (): void => {
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const { target } = event
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return
      const view = views[Number(event.key) - 1]
      if (view !== undefined) location.hash = linkTo(view[0])
      if (event.key !== '/') return
      event.preventDefault()
      location.hash = linkTo('vault')
      setTimeout(() => document.querySelector<HTMLInputElement>('input[type=search]')?.focus(), 50)
    }
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [])
}

/** The beginning of every state ref and every flow id. */
const isHex = (text: string): boolean => /^[0-9a-f]{4,64}(:\d{1,4})?$/.test(text)

const View = ({
  place,
  live,
  nowMs,
  mayOperate,
  panels,
}: {
  readonly place: RoutePlace
  readonly live: Live
  readonly nowMs: number
  readonly mayOperate: boolean
  readonly panels: readonly PanelSummary[]
}) => {
  const [first = ''] = place.rest
  switch (place.view) {
    case 'overview':
      return <Overview live={live} nowMs={nowMs} />
    case 'agenda':
      return <Agenda live={live} nowMs={nowMs} mayOperate={mayOperate} />
    case 'attention':
      return <Attention live={live} mayOperate={mayOperate} />
    case 'occurrences':
      return <Occurrences live={live} nowMs={nowMs} />
    case 'flows':
      return <FlowsPage live={live} nowMs={nowMs} mayOperate={mayOperate} />
    case 'flow':
      return isHex(first) ? <Flow id={first} live={live} mayOperate={mayOperate} /> : <Nothing />
    case 'vault':
      return <Vault live={live} />
    case 'state':
      return isHex(first) ? <State text={first} live={live} mayOperate={mayOperate} /> : <Nothing />
    case 'log':
      return <Log live={live} />
    case 'parties':
      return <Parties live={live} nowMs={nowMs} />
    case 'tokens':
      return <TokensPage />
    default: {
      const panel = panels.find(({ name }) => place.view === 'panel' && name === first)
      return panel === undefined ? (
        <Nothing />
      ) : (
        <PanelPage
          key={`${live.node} ${panel.name}`}
          panel={panel}
          node={live.node}
          when={live.head.revision}
          nowMs={nowMs}
        />
      )
    }
  }
}

/** Why somebody who was signed in has to sign in again. */
const overBecause = ({ message }: CarillonError): string => {
  const [why = ''] = message.split(' Send "Authorization')
  return why === 'The session is over.'
    ? 'The session is over: it lasts twelve hours, and no longer than its token.'
    : `The session is over: ${why.charAt(0).toLowerCase()}${why.slice(1)}`
}

const Inside = ({ me, left }: { readonly me: Me; readonly left: (why?: string) => void }) => {
  const place = useRoute()
  const [node, setNode] = useState<string>()
  const { live, connection, refusals } = useLive(node)
  const panels = useGet<{ readonly items: readonly PanelSummary[] }>('/panels', {}, node ?? '')
  const nowMs = useNow(live)
  const shown = panels.asked.state === 'answered' ? panels.asked.answer.items : []
  const here = parents[place.view] ?? place.view
  useTitle(titleOf(here, place, shown), live?.node)
  useKeys()
  useEffect(() => {
    if (connection !== 'lost') return
    get<Me>('/me').catch((error: unknown) => {
      if (isSignedOut(error)) left(overBecause(errorOf(error)))
      if (errorOf(error).code !== 'party-unknown') return
      // The node that was looked at is not served any more.
      chooseNode(undefined)
      setNode('')
    })
  }, [connection, refusals])
  if (live === undefined) return <div class="waiting whole" role="status" aria-label="Connecting" />
  const may = (permission: string): boolean => me.permissions.includes('admin') || me.permissions.includes(permission)
  const waiting = attentionCount(live)
  return (
    <Shell
      place={place}
      node={live.node}
      nodes={live.nodes}
      choose={(name) => {
        chooseNode(name)
        setNode(name)
        // A state, a flow or a panel of one node is nothing to another.
        if (here !== place.view) location.hash = linkTo(here)
        if (place.view === 'panel') location.hash = linkTo('overview')
      }}
      bar={
        <>
          <span class="app">
            {live.app.name} {live.app.version === noVersion ? '' : live.app.version}
          </span>
          <span class="space" />
          {live.virtualTime && may('operate') ? <ClockControls key={live.node} nowMs={nowMs} /> : null}
          <time class="clock">{new Date(nowMs).toISOString().slice(0, 19).replace('T', ' ')} UTC</time>
          {connectionLamp(connection, live)}
        </>
      }
      nav={
        <>
          <ul>
            {views.map(([view, label], index) => (
              <li key={view}>
                <a href={linkTo(view)} aria-current={here === view ? 'page' : undefined}>
                  <kbd aria-hidden="true">{index + 1}</kbd>
                  {label}
                  {view === 'attention' && waiting > 0 ? <span class="badge alarm">{count(waiting)}</span> : null}
                </a>
              </li>
            ))}
          </ul>
          {shown.length === 0 ? null : (
            <>
              <h2>{live.app.name}</h2>
              <PanelLinks place={place} panels={shown} />
            </>
          )}
          <div class="foot">
            {may('admin') ? (
              <a href={linkTo('tokens')} aria-current={here === 'tokens' ? 'page' : undefined}>
                Tokens
              </a>
            ) : null}
            {may('operate') ? (
              <Act
                label={live.draining ? 'End draining' : 'Drain'}
                confirm={live.draining ? undefined : 'Nothing new is started until draining ends.'}
                act={() => operate({ on: 'draining', action: live.draining ? 'end' : 'start' })}
              />
            ) : null}
            <Act label="Sign out" act={signOut} done={left} />
            <small>
              {me.name}, Carillon {live.version}
            </small>
          </div>
        </>
      }
    >
      <Notice connection={connection} live={live} />
      <Guarded key={[live.node, place.view, ...place.rest].join(' ')}>
        <View place={place} live={live} nowMs={nowMs} mayOperate={may('operate')} panels={shown} />
      </Guarded>
    </Shell>
  )
}

/** The code of a link, taken out of the address so that it does not stay in the history. */
const codeInAddress = (): string | undefined => {
  const [, code] = /^#link=([\w-]+)$/.exec(location.hash) ?? []
  if (code !== undefined) history.replaceState(null, '', '/#/overview')
  return code
}

export const Dashboard = () => {
  const [me, setMe] = useState<Me>()
  const [outside, setOutside] = useState<{ readonly why: string | undefined }>()
  const enter = (): void => {
    get<Me>('/me').then(
      (found) => {
        setOutside(undefined)
        setMe(found)
      },
      (error: unknown) => {
        if (errorOf(error).code === 'party-unknown') {
          // The node that this tab looked at is not served any more.
          chooseNode(undefined)
          enter()
          return
        }
        setMe(undefined)
        setOutside({ why: isSignedOut(error) ? undefined : errorOf(error).message })
      },
    )
  }
  useEffect(() => {
    const code = codeInAddress()
    if (code === undefined) void shareSession().then(enter)
    else
      signIn(code).then(enter, (error: unknown) => {
        // The link was used; perhaps by this very browser, which then has its session.
        shareSession()
          .then(() => get<Me>('/me'))
          .then(setMe, () => setOutside({ why: error instanceof Error ? error.message : String(error) }))
      })
  }, [])
  if (outside !== undefined) return <SignInPage entered={enter} why={outside.why} />
  if (me === undefined) return <div class="waiting whole" role="status" aria-label="Loading" />
  const left = (why?: string): void => setOutside({ why })
  return me.permissions.some((each) => each === 'view' || each === 'admin') ? (
    <Inside me={me} left={left} />
  ) : (
    <Guest me={me} left={left} />
  )
}
