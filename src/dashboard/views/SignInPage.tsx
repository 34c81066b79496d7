/**
 * The page that signs in, for whoever has no session yet, or no longer.
 */
import { useState } from 'preact/hooks'
import { signIn } from '../api.js'

export const SignInPage = ({ entered, why }: { readonly entered: () => void; readonly why: string | undefined }) => {
  const [secret, setSecret] = useState('')
  const [trouble, setTrouble] = useState(why)
  const enter = (event: Event): void => {
    event.preventDefault()
    signIn(secret.trim()).then(entered, (error: unknown) =>
      setTrouble(error instanceof Error ? error.message : String(error)),
    )
  }
  return (
    <main class="sign-in">
      <img src="/bell.svg" alt="" width="56" height="56" />
      <h1>Carillon</h1>
      <p>
        Open the link that <code>carillon run</code> prints, or ask for a new one with <code>carillon token link</code>.
        With a token you can enter here:
      </p>
      <form onSubmit={enter}>
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            value={secret}
            onInput={({ currentTarget }) => setSecret(currentTarget.value)}
          />
        </label>
        <button class="primary" disabled={secret === ''}>
          Enter
        </button>
      </form>
      {trouble === undefined ? null : (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
    </main>
  )
}
