/**
 * The documentation as pages to browse: every page of the repository, the reference of the public names, and a search
 * that needs no server, and the whole for language models. Files that pages link to come along. It gives back each link that leads nowhere.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, normalize, relative } from 'node:path'
import { Marked } from 'marked'
import { packageEntries } from '../packageEntries.js'
import { apiReference } from './apiReference.js'
import { frame } from './frame.js'
import { escape, highlight } from './highlight.js'
import { modelList, modelText } from './llms.js'

export type SiteOptions = {
  readonly repository: string
  /** Where the site is put; what was there is removed. */
  readonly folder: string
  /** The Markdown files, from the top of the repository. */
  readonly pages: readonly string[]
}

type Source = { readonly path: string; readonly text: string }
type Entry = { readonly title: string; readonly url: string; readonly text: string }

export type Site = { readonly pages: number; readonly broken: readonly string[] }

export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/<[^>]*>|[`*]/g, '')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

const pageOf = (path: string): string => path.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html')

const titleOf = ({ text, path }: Source): string => /^# (.*)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? path

/** Where a link of a page leads on the site, and the file it names if that is no page. */
const resolve = (
  from: string,
  href: string,
  known: ReadonlySet<string>,
): { readonly to: string; readonly file?: string } => {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return { to: href }
  const [path = '', anchor] = href.split('#')
  const target = normalize(join(dirname(from), path))
    .replaceAll('\\', '/')
    .replace(/\/$/, '')
  const to = known.has(target) ? pageOf(target) : known.has(`${target}/README.md`) ? `${target}/index.html` : undefined
  const there = to ?? (/\.(png|svg|json)$/.test(target) ? target : `${target}.html`)
  const back = relative(dirname(pageOf(from)), there).replaceAll('\\', '/')
  return {
    to: `${back}${anchor === undefined ? '' : `#${anchor}`}`,
    ...(to === undefined ? { file: target } : {}),
  }
}

const render = (source: Source, known: ReadonlySet<string>, linked: Set<string>): string => {
  const follow = (href: string): string => {
    const { to, file } = resolve(source.path, href, known)
    if (file !== undefined) linked.add(file)
    return to
  }
  return new Marked({
    walkTokens: (token) => {
      if (token.type === 'link' || token.type === 'image') token.href = follow(String(token.href))
    },
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      code({ text, lang = '' }) {
        return `<pre tabindex="0"><code>${highlight(text, lang)}</code></pre>\n`
      },
      table(token) {
        const cells = (row: readonly (typeof token.header)[number][], tag: string): string =>
          `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
        return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead>${cells(token.header, 'th')}</thead><tbody>${token.rows.map((row) => cells(row, 'td')).join('')}</tbody></table></div>\n`
      },
    },
  }).parse(source.text, { async: false })
}

const linksIn = (html: string): readonly string[] =>
  [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, to = '']) => to)

const anchorsIn = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id))

const brokenLinks = (folder: string, written: ReadonlyMap<string, string>): readonly string[] =>
  [...written].flatMap(([page, html]) =>
    linksIn(html).flatMap((to) => {
      if (/^[a-z]+:/.test(to)) return []
      const [path = '', anchor = ''] = to.split('#')
      const target = path === '' ? page : normalize(join(dirname(page), path)).replaceAll('\\', '/')
      if (!existsSync(join(folder, target))) return [`${page}: ${to}: there is no ${target}`]
      const inPage = written.get(target)
      if (anchor === '' || inPage === undefined || anchorsIn(inPage).has(anchor)) return []
      return [`${page}: ${to}: ${target} has no heading #${anchor}`]
    }),
  )

export const buildSite = ({ repository, folder, pages }: SiteOptions): Site => {
  rmSync(folder, { recursive: true, force: true })
  const sources: readonly Source[] = [
    ...pages.map((path) => ({ path, text: readFileSync(join(repository, path), 'utf8') })),
    ...apiReference(repository, packageEntries()),
  ]
  const known = new Set(sources.map(({ path }) => path))
  const linked = new Set<string>()
  const written = new Map<string, string>()
  const index: Entry[] = []
  const write = (path: string, title: string, body: string): void => {
    const root = relative(dirname(path), '.').replaceAll('\\', '/')
    const html = frame({ title, body, root: root === '' ? '.' : root, path })
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), html)
    written.set(path, html)
  }
  for (const source of sources) {
    const body = render(source, known, linked)
    const text = body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    index.push({ title: titleOf(source), url: pageOf(source.path), text })
    for (const [, id = '', heading = ''] of body.matchAll(/<h[23] id="([^"]*)">(.*?)<\/h[23]>/g))
      index.push({ title: heading.replaceAll(/<[^>]*>/g, ''), url: `${pageOf(source.path)}#${id}`, text: '' })
    write(pageOf(source.path), titleOf(source), body)
  }
  for (const file of linked) {
    const from = join(repository, file)
    if (!existsSync(from)) continue
    if (statSync(from).isDirectory()) {
      const items = readdirSync(from).map((name) => `<li><code>${escape(name)}</code></li>`)
      write(`${file}.html`, file, `<h1>${escape(file)}</h1>\n<ul>${items.join('')}</ul>`)
    } else if (/\.(png|svg|json)$/.test(file)) cpSync(from, join(folder, file))
    else
      write(
        `${file}.html`,
        file,
        `<h1>${escape(file)}</h1>\n<pre tabindex="0"><code>${highlight(readFileSync(from, 'utf8'), extname(file).slice(1))}</code></pre>`,
      )
  }
  for (const file of ['style.css', 'search.js']) cpSync(join(import.meta.dirname, file), join(folder, file))
  writeFileSync(join(folder, 'llms.txt'), modelList(sources, pageOf))
  writeFileSync(join(folder, 'llms-full.txt'), modelText(sources))
  // A script and not plain data, which a page that was opened from a disk may not fetch.
  writeFileSync(join(folder, 'searchIndex.js'), `globalThis.searchIndex = ${JSON.stringify(index)}\n`)
  return { pages: written.size, broken: brokenLinks(folder, written) }
}
