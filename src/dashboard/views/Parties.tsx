/**
 * Whom the node knows, what it keeps of their logs, and the sessions it has with them.
 */
import { useState } from 'preact/hooks'
import type { KeptCheckpoint, Live, MapsAtHand, PartyEntry, SessionEntry, ShownMap } from '../../http/answers.js'
import { operate } from '../api.js'
import { Act, Answered, Card, Empty, Failure, Lamp } from '../parts/ui.js'
import { DataTable } from '../parts/DataTable.js'
import { usePages } from '../parts/usePages.js'
import { VirtualList } from '../parts/VirtualList.js'
import { useGet } from '../useLive.js'
import { linkTo } from '../useRoute.js'
import { count, distance, shownId, shownInstant } from '../words.js'

const notaries: Readonly<Record<string, string>> = { nonValidating: 'non-validating' }

const Party = ({ party }: { readonly party: PartyEntry }) => (
  <section class="card party">
    <h2>{party.name}</h2>
    <p>
      {[
        ...(party.isMe ? ['this node'] : []),
        ...(party.notary === undefined ? [] : [`${notaries[party.notary] ?? party.notary} notary`]),
        ...(party.address === undefined ? [] : [party.address]),
      ].join(', ') || 'party'}
    </p>
    <code title={party.key}>{party.key.slice(0, 28)}…</code>
    {party.isMe ? null : (
      <div class="lamps">
        <Lamp
          tone={party.openSessions > 0 ? 'blue' : 'grey'}
          text={`${count(party.openSessions)} open ${party.openSessions === 1 ? 'session' : 'sessions'}`}
        />
        {party.unacknowledged === 0 ? null : (
          <Lamp
            tone="amber"
            text={`${count(party.unacknowledged)} ${party.unacknowledged === 1 ? 'message' : 'messages'} on the way`}
          />
        )}
      </div>
    )}
  </section>
)

const MapOf = ({ map }: { readonly map: ShownMap }) => (
  <p>
    {map.name}, map {count(map.serial)} of <time>{shownInstant(map.madeAt)}</time>
    {map.expiresAt === undefined ? '' : `, valid until ${shownInstant(map.expiresAt)}`}
    <br />
    root <code title={map.root}>{map.root.slice(0, 28)}…</code>, hash <code title={map.hash}>{shownId(map.hash)}…</code>
  </p>
)

/** A map that an operator lets the node go by, whatever it went by before. */
const Contradicting = ({ map, again }: { readonly map: ShownMap; readonly again: () => void }) => {
  const [note, setNote] = useState('')
  const { root, serial, hash } = map
  return (
    <form class="start contradicting" onSubmit={(event) => event.preventDefault()}>
      <div>
        <Lamp tone="amber" text="needs a decision" /> The file in the node’s folder has the number of the map in use,
        and says something else.
        <MapOf map={map} />
      </div>
      <label class="grow">
        Why
        <input value={note} onInput={({ currentTarget }) => setNote(currentTarget.value)} />
      </label>
      <Act
        label="Accept this map"
        submits
        weight="danger"
        confirm="The node uses it from now on. The decision is recorded."
        act={() =>
          operate({ on: 'network', action: 'accept', map: { root, serial, hash }, ...(note === '' ? {} : { note }) })
        }
        done={again}
      />
    </form>
  )
}

/** For a map that is not in the folder yet: of another root, say. A node that is stopped can be told by the command. */
const AcceptAhead = () => {
  const [text, setText] = useState('')
  const [said, setSaid] = useState<string>()
  return (
    <form class="start" onSubmit={(event) => event.preventDefault()}>
      <label class="grow">
        A map to accept before it is in the folder, as <code>carillon network show --json</code> gives it
        <input value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <Act
        label="Accept"
        submits
        weight="danger"
        disabled={text === ''}
        confirm="The node accepts it in place of any other map. The decision is recorded."
        act={async () => {
          const { root, serial, hash } = JSON.parse(text) as ShownMap
          await operate({ on: 'network', action: 'accept', map: { root, serial, hash } })
          setText('')
          setSaid(`Map ${serial} is accepted.`)
        }}
      />
      {said === undefined ? null : (
        <p class="said" role="status">
          {said}
        </p>
      )}
    </form>
  )
}

const Network = ({ when }: { readonly when: unknown }) => {
  const asking = useGet<MapsAtHand>('/network', {}, when)
  return (
    <Answered asking={asking}>
      {({ inUse, contradicting }) =>
        inUse === undefined ? (
          <Empty title="This node has no network map.">
            Nodes of a network folder use the map that the root of the network has signed.
          </Empty>
        ) : (
          <>
            <MapOf map={inUse} />
            {contradicting === undefined ? null : <Contradicting map={contradicting} again={asking.again} />}
            <AcceptAhead />
          </>
        )
      }
    </Answered>
  )
}

const Heads = ({ live, nowMs }: { readonly live: Live; readonly nowMs: number }) => {
  const pages = usePages<KeptCheckpoint>('/log/heads', {}, live.head.revision)
  if (pages.error !== undefined) return <Failure error={pages.error} again={pages.again} />
  if (!pages.loaded) return <div class="waiting" role="status" aria-label="Loading" />
  return pages.items.length === 0 ? (
    <Empty title="No checkpoint is kept yet.">
      Parties that talk with each other keep the newest checkpoint of each other’s log. Whoever cuts or changes a log
      later contradicts what others keep.
    </Empty>
  ) : (
    <>
      <DataTable
        label="Checkpoints"
        columns={[
          { key: 'of', label: 'Log of' },
          { key: 'revision', label: 'Up to revision', number: true },
          { key: 'kept', label: 'Kept' },
          { key: 'hash', label: 'Hash' },
        ]}
        rows={pages.items.map(({ party, keptAt, checkpoint }) => ({
          key: party.key,
          cells: {
            of: { content: party.name, wide: true },
            revision: { content: count(checkpoint.revision) },
            kept: { content: <time title={keptAt}>{distance(keptAt, nowMs)}</time> },
            hash: { content: <code title={checkpoint.hash}>{shownId(checkpoint.hash)}…</code> },
          },
        }))}
      />
      {pages.more === undefined ? null : (
        <button type="button" onClick={pages.more}>
          More
        </button>
      )}
    </>
  )
}

const Session = ({ session }: { readonly session: SessionEntry }) => (
  <>
    <span role="cell" class="grow">
      {session.flow === undefined ? (
        <span>a flow that is not known here</span>
      ) : (
        <a href={linkTo('flow', session.flow)}>{session.flowName}</a>
      )}
      <small>
        with {session.party}, begun {session.role === 'initiator' ? 'here' : 'there'}
      </small>
    </span>
    <span role="cell" class="condition">
      <Lamp tone={session.closed ? 'grey' : 'blue'} text={session.closed ? 'closed' : 'open'} />
    </span>
    <span role="cell" class="counts">
      {count(session.sent)} sent, {count(session.received)} received
    </span>
  </>
)

export const Parties = ({ live, nowMs }: { readonly live: Live; readonly nowMs: number }) => {
  const parties = useGet<{ readonly items: readonly PartyEntry[] }>('/parties', {}, live.head.revision)
  const sessions = usePages<SessionEntry>('/sessions', {}, live.head.revision)
  return (
    <>
      <h1>Parties</h1>
      <Answered asking={parties}>
        {({ items }) => (
          <div class="parties">
            {items.map((party) => (
              <Party key={party.key} party={party} />
            ))}
          </div>
        )}
      </Answered>
      <Card title="Network map">
        <Network when={live.head.revision} />
      </Card>
      <Card title="Checkpoints">
        <Heads live={live} nowMs={nowMs} />
      </Card>
      <Card title="Sessions, newest first" flush>
        {sessions.error !== undefined ? (
          <Failure error={sessions.error} again={sessions.again} />
        ) : sessions.loaded && sessions.items.length === 0 ? (
          <Empty title="No session yet.">A session begins when a flow talks with a flow of another party.</Empty>
        ) : (
          <VirtualList
            label="Sessions"
            items={sessions.items}
            rowHeight={52}
            narrowHeight={78}
            keyOf={({ id, role }) => `${id}${role}`}
            onNearEnd={sessions.more}
            row={(session) => <Session session={session} />}
          />
        )}
      </Card>
    </>
  )
}
