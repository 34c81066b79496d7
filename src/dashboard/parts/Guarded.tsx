/**
 * A fence around a view: one that cannot be drawn says so in its place, and the rest of the page goes on.
 */
import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { Empty } from './ui.js'

export const Guarded = ({ children }: { readonly children: ComponentChildren }) => {
  const [error, again] = useErrorBoundary((thrown: unknown) => console.warn(thrown)) as [unknown, () => void]
  if (error === undefined) return <>{children}</>
  return (
    <Empty title="This view cannot be drawn.">
      The node has answered with something that the page does not expect; perhaps the node is newer than the page.{' '}
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>{' '}
      <button type="button" onClick={again}>
        Try again
      </button>
    </Empty>
  )
}
