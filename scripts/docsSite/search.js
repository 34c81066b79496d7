/** Search without a server: titles and headings first, then text; every word must be found. */
const html = globalThis.document
const input = html.getElementById('search')
const found = html.getElementById('found')
const root = html.currentScript?.dataset.root ?? '.'

/** Loaded once, with the first key: most pages are only read. */
let loading
const load = () =>
  (loading ??= new Promise((resolve) => {
    const script = Object.assign(html.createElement('script'), { src: `${root}/searchIndex.js` })
    script.addEventListener('load', () => resolve(globalThis.searchIndex))
    html.head.append(script)
  }))

const scoreOf = ({ title, text }, words) => {
  const [lowTitle, lowText] = [title.toLowerCase(), text.toLowerCase()]
  let score = 0
  for (const word of words) {
    if (lowTitle === word) score += 20
    else if (lowTitle.includes(word)) score += 8
    else if (lowText.includes(word)) score += 1
    else return 0
  }
  return score
}

const show = (entries) => {
  found.replaceChildren(
    ...entries.map(({ title, url }) => {
      const link = Object.assign(html.createElement('a'), { href: `${root}/${url}`, textContent: title })
      const place = Object.assign(html.createElement('small'), { textContent: url })
      const item = html.createElement('li')
      item.append(link, ' ', place)
      return item
    }),
  )
  found.hidden = entries.length === 0
}

input.addEventListener('input', async () => {
  const index = await load()
  // Read only now: while the index came, more may have been typed.
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return show([])
  const entries = index.map((entry) => ({ ...entry, score: scoreOf(entry, words) }))
  show(
    entries
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, 12),
  )
})
input.form.addEventListener('submit', (event) => {
  event.preventDefault()
  found.querySelector('a')?.click()
})
html.addEventListener('keydown', (event) => {
  if (event.key !== '/' || html.activeElement === input) return
  event.preventDefault()
  input.focus()
})
