/**
 * The pages of the documentation, taken apart: fenced blocks, links and headings, each with its place.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

export const repository = dirname(dirname(import.meta.dirname))

export type Block = { readonly language: string; readonly text: string; readonly line: number }
export type Link = { readonly target: string; readonly line: number }

export type Page = {
  /** From the top of the repository, with slashes. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
  readonly links: readonly Link[]
  /** What a link may name after `#`. */
  readonly anchors: ReadonlySet<string>
}

const fence = /^```(\w*)\s*$/

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

const takeApart = (path: string, text: string): Page => {
  const blocks: Block[] = []
  const links: Link[] = []
  const anchors = new Set<string>()
  let open: { readonly language: string; readonly line: number; readonly lines: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const fenced = fence.exec(line)
    if (open !== undefined) {
      if (fenced === null) open.lines.push(line)
      else {
        blocks.push({ language: open.language, line: open.line, text: open.lines.join('\n') })
        open = undefined
      }
    } else if (fenced !== null) {
      open = { language: fenced[1] ?? '', line: index + 2, lines: [] }
    } else {
      const heading = /^#+ (.*)$/.exec(line)
      if (heading?.[1] !== undefined) anchors.add(anchorOf(heading[1]))
      const prose = line.replaceAll(/`[^`]*`/g, '')
      for (const [, target] of prose.matchAll(/(?:\]\(|^\[[^\]]+\]: )([^)\s]+)/g))
        if (target) links.push({ target, line: index + 1 })
    }
  }
  if (open !== undefined) throw new Error(`${path}:${open.line} opens a block that is never closed`)
  return { path, text, blocks, links, anchors }
}

export const readPage = (path: string): Page => takeApart(path, readFileSync(join(repository, path), 'utf8'))

const markdownIn = (folder: string): readonly string[] =>
  existsSync(join(repository, folder))
    ? readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.md'))
        .map((file) => relative(repository, join(repository, folder, file)).replaceAll('\\', '/'))
        .sort()
    : []

/** Every page a reader may come to, in reading order within its folder. */
export const allPages = (): readonly Page[] =>
  ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...markdownIn('docs'), ...markdownIn('samples')].map(readPage)
