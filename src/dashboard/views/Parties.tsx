/**
 * Whom the node knows, and the sessions it has with them.
 */
import type { Live, Page, PartyEntry, SessionEntry } from '../api.js'
import { Answered, Card, Empty, Lamp } from '../parts/ui.js'
import { useGet } from '../useLive.js'
import { linkTo } from '../useRoute.js'
import { count } from '../words.js'

export const Parties = ({ live }: { readonly live: Live }) => {
  const parties = useGet<{ readonly items: readonly PartyEntry[] }>('/parties', {}, live.head.revision)
  const sessions = useGet<Page<SessionEntry>>('/sessions', { limit: 100 }, live.head.revision)
  return (
    <>
      <h1>Parties</h1>
      <Answered asking={parties}>
        {({ items }) => (
          <div class="parties">
            {items.map((party) => (
              <section class="card party" key={party.key}>
                <h2>{party.name}</h2>
                <p>
                  {party.isMe ? 'this node' : party.notary === undefined ? 'party' : `notary, ${party.notary}`}
                  {party.address === undefined ? '' : `, ${party.address}`}
                </p>
                <code>{party.key.slice(0, 28)}…</code>
                <div class="lamps">
                  <Lamp
                    tone={party.openSessions > 0 ? 'blue' : 'grey'}
                    text={`${count(party.openSessions)} open ${party.openSessions === 1 ? 'session' : 'sessions'}`}
                  />
                  {party.unacknowledged === 0 ? null : (
                    <Lamp tone="amber" text={`${count(party.unacknowledged)} messages on their way`} />
                  )}
                </div>
              </section>
            ))}
          </div>
        )}
      </Answered>
      <Card title="Sessions">
        <Answered asking={sessions}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No session yet.">A session begins when a flow talks with a flow of another party.</Empty>
            ) : (
              <table>
                <thead>
                  <tr>
                    <th>With</th>
                    <th>Flow</th>
                    <th>This end</th>
                    <th class="number">Sent</th>
                    <th class="number">Received</th>
                    <th>State</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((session) => (
                    <tr key={`${session.id}${session.role}`}>
                      <td>{session.party}</td>
                      <td>
                        {session.flow === undefined ? (
                          ''
                        ) : (
                          <a href={linkTo('flow', session.flow)}>{session.flowName}</a>
                        )}
                      </td>
                      <td>{session.role}</td>
                      <td class="number">{count(session.sent)}</td>
                      <td class="number">{count(session.received)}</td>
                      <td>
                        <Lamp tone={session.closed ? 'grey' : 'blue'} text={session.closed ? 'closed' : 'open'} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Answered>
      </Card>
    </>
  )
}
