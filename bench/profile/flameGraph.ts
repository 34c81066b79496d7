/**
 * A flame graph as SVG, hanging from the top: each box is a function under its callers, as wide as its share of the time.
 * It stands alone, tells each box in a tooltip, and follows the reader's light or dark.
 */
import type { Call } from './CpuProfile.js'

const width = 1_200
const rowHeight = 18
const headHeight = 34
/** Thinner boxes say nothing, and there are thousands of them. */
const leastWidth = 1.2
const letterWidth = 6.6

const style = `
    text { font: 11px ui-monospace, monospace; fill: #1f2328; pointer-events: none }
    .title { font: 600 14px system-ui, sans-serif }
    .ground { fill: #ffffff }
    .ours { fill: #f6c177 } .host { fill: #a8c7e6 } .other { fill: #b9d8b4 } .engine { fill: #d8dee4 }
    rect { stroke: #ffffff; stroke-width: 0.5 }
    @media (prefers-color-scheme: dark) {
      .title { fill: #f0f6fc } .ground { fill: #0d1117 } rect { stroke: #0d1117 }
      .ours { fill: #d19a4a } .host { fill: #6f9cc9 } .other { fill: #7fae79 } .engine { fill: #8b949e }
    }`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const kindOf = ({ place }: Call): string => {
  if (place === '') return 'engine'
  if (place.startsWith('node:')) return 'host'
  return place.includes('node_modules/') ? 'other' : 'ours'
}

const depthOf = (call: Call, scale: number): number =>
  1 +
  Math.max(0, ...call.calls.filter(({ totalUs }) => totalUs * scale >= leastWidth).map((each) => depthOf(each, scale)))

const round = (value: number): number => Math.round(value * 10) / 10

export const flameGraphSvg = (title: string, tree: Call): string => {
  const scale = width / tree.totalUs
  const height = headHeight + depthOf(tree, scale) * rowHeight + 4
  const percent = (us: number): string => `${((us / tree.totalUs) * 100).toFixed(1)} %`
  const boxes: string[] = []
  const draw = (call: Call, x: number, depth: number): void => {
    const boxWidth = call.totalUs * scale
    if (boxWidth < leastWidth) return
    const y = headHeight + depth * rowHeight
    const letters = Math.floor((boxWidth - 6) / letterWidth)
    const label = call.name.length <= letters ? call.name : `${call.name.slice(0, Math.max(0, letters - 1))}…`
    const text = letters < 3 ? '' : `<text x="${round(x + 3)}" y="${y + 13}">${escaped(label)}</text>`
    const told = `${call.name}${call.place === '' ? '' : ` (${call.place})`}: ${percent(call.totalUs)}, ${percent(call.selfUs)} in itself`
    boxes.push(
      `<g><title>${escaped(told)}</title><rect class="${kindOf(call)}" x="${round(x)}" y="${y}" width="${round(boxWidth)}" height="${rowHeight}"/>${text}</g>`,
    )
    let at = x
    for (const each of call.calls) {
      draw(each, at, depth + 1)
      at += each.totalUs * scale
    }
  }
  draw(tree, 0, 0)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
  <style>${style}
  </style>
  <rect class="ground" width="${width}" height="${height}"/>
  <text class="title" x="6" y="21">${escaped(title)}</text>
  ${boxes.join('\n  ')}
</svg>
`
}

/** Functions by the time in themselves, wherever they were called from. */
export const bySelfTime = (tree: Call): readonly { readonly name: string; readonly share: number }[] => {
  const self = new Map<string, number>()
  const visit = (call: Call): void => {
    const name = call.place === '' ? call.name : `${call.name} (${call.place})`
    self.set(name, (self.get(name) ?? 0) + call.selfUs)
    call.calls.forEach(visit)
  }
  visit(tree)
  return [...self].map(([name, us]) => ({ name, share: us / tree.totalUs })).sort((a, b) => b.share - a.share)
}
