/**
 * The log: the newest events as they come, any page of a million by revision, and whether its hashes hold.
 */
import { useState } from 'preact/hooks'
import type { Live, LogEntry, Verification } from '../../http/answers.js'
import { post } from '../api.js'
import { Act, Answered, Card, Data, Empty, FactList, Lamp } from '../parts/ui.js'
import { VirtualList } from '../parts/VirtualList.js'
import { useEscape } from '../useEscape.js'
import { useGet } from '../useLive.js'
import { count, shownInstant, readable } from '../words.js'

const pageSize = 200

const tones = { never: 'grey', running: 'blue', sound: 'green', altered: 'red' } as const
const said = { never: 'not checked yet', running: 'checking …', sound: 'sound', altered: 'altered' } as const

const Proof = ({ live }: { readonly live: Live }) => {
  const [turn, setTurn] = useState(0)
  const asking = useGet<Verification>('/log/verification', {}, `${turn} ${Math.floor(live.head.revision / 20)}`)
  return (
    <Card
      title="Hash chain"
      aside={
        <Act
          label="Verify"
          act={() => post('/log/verification')}
          done={() => {
            setTurn((before) => before + 1)
            setTimeout(() => setTurn((before) => before + 1), 700)
          }}
        />
      }
    >
      <Answered asking={asking}>
        {(proof) => (
          <>
            <FactList
              facts={[
                ['State', <Lamp key="state" tone={tones[proof.state]} text={said[proof.state]} />],
                ['Head', <code key="head">{live.head.hash.slice(0, 24)}…</code>],
                ['Events', count(live.head.revision + 1)],
                ...(proof.verifiedTo === undefined
                  ? []
                  : ([['Checked up to', `revision ${count(Math.max(0, proof.verifiedTo))}`]] as const)),
                ...(proof.signedBy === undefined ? [] : ([['Signed by', proof.signedBy]] as const)),
              ]}
            />
            {(proof.problems ?? []).length === 0 ? null : (
              <ul class="cases">
                {(proof.problems ?? []).map(({ revision, what }) => (
                  <li key={revision}>
                    revision {revision}: {what}
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Answered>
    </Card>
  )
}

export const Log = ({ live }: { readonly live: Live }) => {
  const [from, setFrom] = useState<number>()
  const [open, setOpen] = useState<number>()
  useEscape(open !== undefined, () => setOpen(undefined))
  const head = live.head.revision
  const start = from ?? Math.max(0, head - pageSize + 1)
  const asking = useGet<{ readonly items: readonly LogEntry[] }>(
    '/log',
    from === undefined ? { limit: pageSize } : { from, limit: pageSize },
    from ?? head,
  )
  const opened = useGet<{ readonly items: readonly LogEntry[] }>(
    '/log',
    { from: open ?? 0, limit: 1, whole: 'true' },
    open,
  )
  return (
    <>
      <h1>Log</h1>
      <Proof live={live} />
      <div class={open === undefined ? '' : 'beside'}>
        <Card
          flush
          title={
            from === undefined
              ? 'Newest events'
              : `Revisions ${count(start)} to ${count(Math.min(head, start + pageSize - 1))}`
          }
          aside={
            <div class="acts">
              <label class="inline">
                Revision
                <input
                  type="number"
                  min={0}
                  max={head}
                  placeholder={`0 to ${head}`}
                  value={from ?? ''}
                  onChange={({ currentTarget: { value } }) =>
                    setFrom(value === '' ? undefined : Math.max(0, Math.min(head, Number(value))))
                  }
                />
              </label>
              <button type="button" disabled={start === 0} onClick={() => setFrom(Math.max(0, start - pageSize))}>
                Older
              </button>
              <button
                type="button"
                disabled={from === undefined}
                onClick={() => setFrom(start + pageSize > head - pageSize ? undefined : start + pageSize)}
              >
                Newer
              </button>
              <button type="button" aria-pressed={from === undefined} onClick={() => setFrom(undefined)}>
                Live
              </button>
            </div>
          }
        >
          <Answered asking={asking}>
            {({ items }) =>
              items.length === 0 ? (
                <Empty title="The log is empty." />
              ) : (
                <VirtualList
                  label="Events"
                  items={[...items].reverse()}
                  rowHeight={34}
                  narrowHeight={52}
                  keyOf={({ revision }) => String(revision)}
                  row={(entry) => (
                    <>
                      <span role="cell" class="revision">
                        {count(entry.revision)}
                      </span>
                      <span role="cell" class="when recorded">
                        {shownInstant(entry.at)}
                      </span>
                      <span role="cell" class="type">
                        <button
                          type="button"
                          class="quiet"
                          aria-expanded={open === entry.revision}
                          onClick={() => setOpen(open === entry.revision ? undefined : entry.revision)}
                        >
                          {entry.type}
                        </button>
                      </span>
                      <span role="cell" class="grow one" title={entry.text}>
                        {readable(entry.text)}
                      </span>
                    </>
                  )}
                />
              )
            }
          </Answered>
        </Card>
        {open === undefined ? null : (
          <aside class="detail" aria-label={`Event ${count(open)}`}>
            <Card
              title={`Event ${count(open)}`}
              aside={
                <button type="button" onClick={() => setOpen(undefined)}>
                  Close
                </button>
              }
            >
              <Answered asking={opened}>{({ items }) => <Data value={items[0]?.event} />}</Answered>
            </Card>
          </aside>
        )}
      </div>
    </>
  )
}
