/**
 * The vault: states by type and text, and one state with its data, its story and its neighbours on the ledger.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Graph, Live, StateType, VaultEntry, Why } from '../../http/answers.js'
import { get } from '../api.js'
import { ActivityActs } from '../parts/ActivityActs.js'
import { LedgerGraph } from '../parts/LedgerGraph.js'
import { PagedList } from '../parts/PagedList.js'
import { Answered, Card, Condition, Data, Empty, FactList, Lamp } from '../parts/ui.js'
import { usePages } from '../parts/usePages.js'
import { useAnswer, useGet } from '../useLive.js'
import { linkTo } from '../useRoute.js'
import { count, shownInstant, json, lateness, readable, shownId, shownRef, wholeRef } from '../words.js'

const pauseMs = 250

/** A text once nobody has typed for a moment: a search for each letter would be in the way of the last. */
const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

export const Vault = ({ live }: { readonly live: Live }) => {
  const [type, setType] = useState('')
  const [status, setStatus] = useState('unconsumed')
  const [text, setText] = useState('')
  const types = useGet<{ readonly types: readonly StateType[] }>(
    '/states/types',
    {},
    Math.floor(live.head.revision / 50),
  )
  const pages = usePages<VaultEntry>('/states', { type, status, text: useSettled(text) }, live.head.revision)
  return (
    <>
      <h1>Vault</h1>
      <Card flush>
        <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
          <label>
            Type
            <select value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
              <option value="">all types</option>
              {types.asked.state === 'answered'
                ? types.asked.answer.types.map((each) => (
                    <option key={each.type} value={each.type}>
                      {each.type} ({count(each.unconsumed)})
                    </option>
                  ))
                : null}
            </select>
          </label>
          <label>
            Show
            <select value={status} onChange={({ currentTarget }) => setStatus(currentTarget.value)}>
              <option value="unconsumed">unconsumed</option>
              <option value="consumed">consumed</option>
              <option value="all">all</option>
            </select>
          </label>
          <label class="grow">
            Search
            <input
              type="search"
              value={text}
              placeholder="a word in the data, or the beginning of a ref"
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
        </form>
        <PagedList
          label="States"
          pages={pages}
          empty={
            <Empty title={text === '' ? 'The vault holds no such states.' : `Nothing in the vault says “${text}”.`}>
              {text === '' && type === '' ? (
                <>
                  States come here when a transaction that produces them is recorded.{' '}
                  <a href={linkTo('flows')}>Start a flow</a> that makes one.
                </>
              ) : (
                'Try another word, all types, or consumed states too.'
              )}
            </Empty>
          }
          rowHeight={52}
          narrowHeight={82}
          keyOf={({ ref }) => wholeRef(ref)}
          row={(state) => (
            <>
              <code role="cell" class="id">
                <a href={linkTo('state', wholeRef(state.ref))}>{shownRef(state.ref)}</a>
              </code>
              <span role="cell" class="grow">
                {state.type}
                <small>{json(state.data)}</small>
              </span>
              <span role="cell" class="condition">
                <Lamp
                  tone={state.consumedBy === undefined ? 'green' : 'grey'}
                  text={state.consumedBy === undefined ? 'unconsumed' : 'consumed'}
                />
              </span>
              <span role="cell" class="when">
                {shownInstant(state.recordedAt)}
              </span>
            </>
          )}
        />
      </Card>
    </>
  )
}

export const State = ({
  text,
  live,
  mayOperate,
}: {
  readonly text: string
  readonly live: Live
  readonly mayOperate: boolean
}) => {
  const why = useAnswer(() => get<Why>(`/states/${encodeURIComponent(text)}/why`), text, live.head.revision)
  const graph = useAnswer(() => get<Graph>(`/states/${encodeURIComponent(text)}/graph`, { depth: 3 }), text, 0)
  return (
    <Answered asking={why}>
      {(found) => (
        <>
          <h1>{found.state.type}</h1>
          <Card
            title="Why"
            aside={
              mayOperate && found.activity !== undefined && found.state.consumedBy === undefined ? (
                <div class="acts">
                  <ActivityActs activity={found.activity} done={why.again} />
                </div>
              ) : null
            }
          >
            <p class="verdict">{readable(found.now.replace(/ (Retry|Run|Resume) it with:.*$/, ''))}</p>
            <ol class="sentences">
              {found.story.map((sentence) => (
                <li key={sentence}>{readable(sentence)}</li>
              ))}
            </ol>
          </Card>
          <div class="two">
            <Card title="State">
              <FactList
                facts={[
                  ['Ref', <code key="ref">{wholeRef(found.ref)}</code>],
                  ['Recorded', `${shownInstant(found.state.recordedAt)}, revision ${count(found.state.fromRevision)}`],
                  ['Version', String(found.state.version)],
                ]}
              />
              <Data value={found.state.data} />
            </Card>
            <Card title="Attempts">
              {found.attempts.length === 0 ? (
                <Empty title="None yet." />
              ) : (
                <ul class="brief">
                  {found.attempts.map((attempt, index) => (
                    <li key={index}>
                      <Condition of={attempt.outcome} />
                      {attempt.flow === undefined ? (
                        <span>{shownInstant(attempt.at)}</span>
                      ) : (
                        <a href={linkTo('flow', attempt.flow)}>{shownId(attempt.flow)}</a>
                      )}
                      <span class="why">{lateness(attempt.latenessMs)}</span>
                    </li>
                  ))}
                </ul>
              )}
            </Card>
          </div>
          <Card title="On the ledger">
            <Answered asking={graph}>{(drawn) => <LedgerGraph graph={drawn} here={wholeRef(found.ref)} />}</Answered>
          </Card>
        </>
      )}
    </Answered>
  )
}
