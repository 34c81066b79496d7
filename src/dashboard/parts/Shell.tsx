/**
 * The frame of the page: a bar with the node's name, the ways to go at the side, and the view that was chosen. On a
 * phone the ways lie behind a button.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useEscape } from '../useEscape.js'
import { linkTo, type RoutePlace } from '../useRoute.js'

export const Shell = ({
  place,
  node,
  nodes,
  choose,
  bar,
  nav,
  children,
}: {
  readonly place: RoutePlace
  /** The node that is looked at; undefined while it has not said its name. */
  readonly node: string | undefined
  readonly nodes: readonly string[]
  readonly choose: (node: string) => void
  readonly bar: ComponentChildren
  readonly nav: ComponentChildren
  readonly children: ComponentChildren
}) => {
  const [menu, setMenu] = useState(false)
  useEffect(() => setMenu(false), [place.view, place.rest.join()])
  useEscape(menu, () => setMenu(false))
  return (
    <div class={`shell ${menu ? 'menu-open' : ''}`}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        To the content
      </a>
      <header class="bar">
        <button type="button" class="menu" aria-label="Menu" aria-expanded={menu} onClick={() => setMenu(!menu)}>
          {menu ? '✕' : '☰'}
        </button>
        <a class="brand" href={linkTo('overview')}>
          <img src="/bell.svg" alt="" width="22" height="22" />
          Carillon
        </a>
        {nodes.length < 2 ? (
          <span class="node">{node}</span>
        ) : (
          <select
            class="node"
            aria-label="Node"
            value={node}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          >
            {nodes.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
        {bar}
      </header>
      <nav aria-label="Views">{nav}</nav>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** Ways to the panels of the app. */
export const PanelLinks = ({
  place,
  panels,
}: {
  readonly place: RoutePlace
  readonly panels: readonly { readonly name: string; readonly title: string }[]
}) => (
  <ul>
    {panels.map(({ name, title }) => (
      <li key={name}>
        <a
          href={linkTo('panel', name)}
          aria-current={place.view === 'panel' && place.rest[0] === name ? 'page' : undefined}
        >
          {title}
        </a>
      </li>
    ))}
  </ul>
)
