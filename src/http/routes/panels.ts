/**
 * The panels an app contributes: their description, their content, and their actions.
 */
import * as t from 'io-ts'
import { CarillonError } from '../../errors/CarillonError.js'
import { instantFromMillis } from '../../time/Instant.js'
import type { HostedNode } from '../HostedNode.js'
import { ActionBodyC, ActionDoneC, PanelContentC, PanelSummaryC, type Panel } from '../Panel.js'
import { assertMay, mayDo, startedAs, type Principal } from '../Principal.js'
import { route } from '../Route.js'

const panelOf = ({ panels }: HostedNode, name: string): Panel => {
  const found = panels.find((panel) => panel.name === name)
  if (found === undefined)
    throw new CarillonError(
      'panel-unknown',
      `The app has no panel "${name.slice(0, 40)}". There are: ${panels.map((panel) => panel.name).join(', ') || 'none'}.`,
    )
  return found
}

const summaryOf = (panel: Panel, principal: Principal): t.TypeOf<typeof PanelSummaryC> => ({
  name: panel.name,
  title: panel.title,
  summary: panel.summary,
  actions: panel.actions.map(({ name, label, on = 'panel', weight = 'plain', confirm, fields, permission }) => ({
    name,
    label,
    on,
    weight,
    may: mayDo(principal, permission ?? panel.permissions.act),
    ...(confirm === undefined ? {} : { confirm }),
    ...(fields === undefined ? {} : { fields }),
  })),
})

export const panelRoutes = [
  route({
    method: 'GET',
    path: '/panels',
    tag: 'panels',
    verbs: ['panel list'],
    summary: 'The panels of the app that this token may see',
    permission: 'any',
    answer: t.readonly(t.strict({ items: t.readonlyArray(PanelSummaryC) }), 'Panels'),
    handle: ({ hosted, principal }) =>
      Promise.resolve({
        items: hosted.panels
          .filter(({ permissions }) => mayDo(principal, permissions.view))
          .map((panel) => summaryOf(panel, principal)),
      }),
  }),
  route({
    method: 'GET',
    path: '/panels/{panel}',
    tag: 'panels',
    verbs: ['panel show'],
    summary: 'What a panel shows now',
    permission: 'panel:view',
    params: t.strict({ panel: t.string }),
    answer: PanelContentC,
    handle: async ({ hosted, params, principal }) => {
      const panel = panelOf(hosted, params.panel)
      assertMay(principal, panel.permissions.view)
      const blocks = await panel.read(hosted.node)
      return { blocks, now: instantFromMillis(hosted.node.nowMs) }
    },
  }),
  route({
    method: 'POST',
    path: '/panels/{panel}/actions/{action}',
    tag: 'panels',
    verbs: ['panel act'],
    summary: 'Takes an action on a panel',
    permission: 'panel:act',
    params: t.strict({ panel: t.string, action: t.string }),
    body: ActionBodyC,
    answer: ActionDoneC,
    handle: async ({ hosted, params, body, principal }) => {
      const panel = panelOf(hosted, params.panel)
      const action = panel.actions.find(({ name }) => name === params.action)
      // Whether it exists is told only to those who may see the panel.
      assertMay(principal, action?.permission ?? panel.permissions.act)
      if (action === undefined)
        throw new CarillonError(
          'panel-unknown',
          `Panel ${panel.name} has no action "${params.action.slice(0, 40)}". There are: ${panel.actions.map(({ name }) => name).join(', ') || 'none'}.`,
        )
      const message = await action.run({
        node: hosted.node,
        row: body.row,
        input: body.input ?? {},
        ...startedAs(principal),
      })
      return { done: true as const, ...(message === undefined ? {} : { message }) }
    },
  }),
]
