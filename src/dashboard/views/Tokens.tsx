/**
 * Tokens: who may use the API, made and revoked here. A new one is shown once.
 */
import { useState } from 'preact/hooks'
import type { Token } from '../../http/answers.js'
import { operate, post } from '../api.js'
import { DataTable } from '../parts/DataTable.js'
import { Act, Answered, Card, Empty, Lamp } from '../parts/ui.js'
import { useGet } from '../useLive.js'
import { shownInstant } from '../words.js'

const dayMs = 86_400_000

const standing = (token: Token): readonly ['green' | 'grey', string] => {
  if (token.revokedAt !== undefined) return ['grey', 'revoked']
  return token.expiresAt !== undefined && Date.parse(token.expiresAt) <= Date.now()
    ? ['grey', 'expired']
    : ['green', 'valid']
}

export const TokensPage = () => {
  const asking = useGet<{ readonly items: readonly Token[] }>('/tokens', {}, 0)
  const [name, setName] = useState('')
  const [permissions, setPermissions] = useState('view')
  const [days, setDays] = useState(30)
  const [made, setMade] = useState<string>()
  return (
    <>
      <h1>Tokens</h1>
      <Card title="Make a token">
        <form class="start" onSubmit={(event) => event.preventDefault()}>
          <label>
            For whom
            <input value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          </label>
          <label class="grow">
            Permissions
            <input value={permissions} onInput={({ currentTarget }) => setPermissions(currentTarget.value)} />
          </label>
          <label>
            Days
            <input
              type="number"
              min={1}
              value={days}
              onInput={({ currentTarget }) => setDays(Number(currentTarget.value))}
            />
          </label>
          <Act
            label="Make"
            submits
            weight="primary"
            disabled={name === ''}
            act={async () => {
              const { token } = await post<{ readonly token: string }>('/tokens', {
                name,
                permissions: permissions.split(/[\s,]+/).filter((each) => each !== ''),
                expiresAt: new Date(Date.now() + days * dayMs).toISOString(),
              })
              setMade(token)
            }}
            done={asking.again}
          />
          <small>view, operate, admin, start:a-flow, start:some/*, or a word of the app such as chores:manage</small>
        </form>
        {made === undefined ? null : (
          <p class="said" role="status">
            Copy it now, it is not shown again: <code class="secret">{made}</code>
          </p>
        )}
      </Card>
      <Card title="Issued">
        <Answered asking={asking}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No token was issued yet.">Links from the command line need none.</Empty>
            ) : (
              <DataTable
                label="Tokens"
                columns={[
                  { key: 'name', label: 'Name' },
                  { key: 'allows', label: 'Allows' },
                  { key: 'until', label: 'Until' },
                  { key: 'by', label: 'Issued by' },
                  { key: 'state', label: 'State' },
                ]}
                rows={items.map((token) => {
                  const [tone, text] = standing(token)
                  return {
                    key: token.id,
                    cells: {
                      name: { content: token.name, wide: true },
                      allows: { content: token.permissions.join(', '), wide: true },
                      until: { content: token.expiresAt === undefined ? 'for ever' : shownInstant(token.expiresAt) },
                      by: { content: token.issuedBy },
                      state: { content: <Lamp tone={tone} text={text} /> },
                    },
                    ...(text === 'valid'
                      ? {
                          acts: (
                            <Act
                              label="Revoke"
                              weight="danger"
                              confirm="It is refused from now on."
                              act={() => operate({ on: 'token', action: 'revoke', token: token.id })}
                              done={asking.again}
                            />
                          ),
                        }
                      : {}),
                  }
                })}
              />
            )
          }
        </Answered>
      </Card>
    </>
  )
}
