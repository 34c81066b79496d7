/**
 * The page for a token that may not view the node: the panels it may see, and nothing that would be refused. Without
 * `view` there is no stream to hear from, so a panel is asked for anew every now and then.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Me } from '../../http/answers.js'
import type { PanelSummary } from '../../http/Panel.js'
import { chooseNode, chosenNodeName, isSignedOut, signOut } from '../api.js'
import { Guarded } from '../parts/Guarded.js'
import { PanelLinks, Shell } from '../parts/Shell.js'
import { Act, Answered, Empty, Lamp } from '../parts/ui.js'
import { useGet } from '../useLive.js'
import { useRoute } from '../useRoute.js'
import { PanelPage } from './Panel.js'

/** How often a panel is asked for. */
const everyMs = 2_000

const useTurns = (): number => {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTurn((before) => before + 1), everyMs)
    return () => clearInterval(timer)
  }, [])
  return turn
}

export const Guest = ({
  me,
  left,
}: {
  readonly me: Me
  /** Called when the visitor leaves, or is refused. */
  readonly left: (why?: string) => void
}) => {
  const place = useRoute()
  const [node, setNode] = useState(chosenNodeName() ?? me.nodes[0])
  const [looked, setLooked] = useState(chosenNodeName() === undefined ? 0 : me.nodes.length)
  const choose = (name: string): void => {
    chooseNode(name)
    setNode(name)
  }
  const turn = useTurns()
  const asking = useGet<{ readonly items: readonly PanelSummary[] }>('/panels', {}, `${node ?? ''} ${turn}`)
  const { asked } = asking
  const panels = asked.state === 'answered' ? asked.answer.items : []
  const panel = panels.find(({ name }) => place.view === 'panel' && name === place.rest[0]) ?? panels[0]
  useEffect(() => {
    if (asked.state === 'refused' && isSignedOut(asked.error)) left(asked.error.message)
    // Whoever has not chosen a node is led to the first that shows something, and stays with the last if none does.
    const next = me.nodes[looked + 1]
    if (asked.state !== 'answered' || panels.length > 0 || next === undefined) return
    setLooked(looked + 1)
    choose(next)
  }, [asked])
  useEffect(() => {
    document.title = [panel?.title, node, 'Carillon'].filter((part) => part !== undefined).join(' · ')
  }, [panel?.title, node])
  return (
    <Shell
      place={panel === undefined ? place : { ...place, view: 'panel', rest: [panel.name] }}
      node={node}
      nodes={me.nodes}
      choose={(name) => {
        setLooked(me.nodes.length)
        choose(name)
      }}
      bar={
        <>
          <span class="space" />
          {asked.state === 'refused' ? <Lamp tone="red" text="not connected" /> : <Lamp tone="green" text="live" />}
        </>
      }
      nav={
        <>
          <PanelLinks place={{ ...place, view: 'panel', rest: [panel?.name ?? ''] }} panels={panels} />
          <div class="foot">
            <Act label="Sign out" act={signOut} done={left} />
            <small>{me.name}</small>
          </div>
        </>
      }
    >
      <Answered asking={asking}>
        {() =>
          panel === undefined ? (
            <Empty title="Your token shows nothing here.">
              It allows {me.permissions.join(', ')}, which programs and the command line can use. To look at the node,
              ask whoever runs it for a token with view; at a panel of its app, for one with the word of that panel
              {me.nodes.length > 1 ? ', or choose another node above' : ''}.
            </Empty>
          ) : (
            <Guarded key={`${node ?? ''} ${panel.name}`}>
              <PanelPage key={`${node ?? ''} ${panel.name}`} panel={panel} node={node ?? ''} when={turn} />
            </Guarded>
          )
        }
      </Answered>
    </Shell>
  )
}
