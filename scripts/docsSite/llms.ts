/**
 * The documentation for language models, as https://llmstxt.org describes it: a list of the pages with what each is about, and all of
 * their text in one file.
 */

/** A page of Markdown, by its path from the top of the repository. */
export type ModelPage = { readonly path: string; readonly text: string }

const headingOf = ({ path, text }: ModelPage): string => /^# (.*)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? path

/** The first paragraph below the heading, as one line; nothing where the page begins with a list, a table or code. */
const openingOf = ({ text }: ModelPage): string => {
  const [, opening = ''] = /^# .*\n\n([^\n#|`<>!\-*\d][\s\S]*?)(?:\n\n|$)/.exec(text) ?? []
  const plain = opening
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const [sentence = ''] = /^.{20,}?[.:](?= |$)/.exec(plain) ?? [plain]
  return sentence.replace(/:$/, '.')
}

/** Which part of the list a page belongs to, in the order of the list; the rest is optional reading. */
const parts: readonly (readonly [title: string, prefix: string])[] = [
  ['Start', 'README.md'],
  ['Tutorial', 'docs/tutorial/'],
  ['How-to', 'docs/how-to/'],
  ['Reference', 'docs/reference/'],
  ['Explanation', 'docs/explanation/'],
  ['Public names', 'docs/api/'],
  ['Errors', 'docs/errors/'],
  ['Samples', 'samples/'],
  ['Optional', ''],
]

const partOf = (path: string): string => parts.find(([, prefix]) => path.startsWith(prefix))?.[0] ?? 'Optional'

/** The list: what Carillon is, and a line a page. `urlOf` says where a page is on the site. */
export const modelList = (pages: readonly ModelPage[], urlOf: (path: string) => string): string => {
  const front = pages.find(({ path }) => path === 'README.md')
  const sections = parts.flatMap(([title]) => {
    const lines = pages
      .filter(({ path }) => partOf(path) === title)
      .map((page) => {
        const opening = openingOf(page)
        return `- [${headingOf(page)}](${urlOf(page.path)})${opening === '' ? '' : `: ${opening}`}`
      })
    return lines.length === 0 ? [] : [`## ${title}\n\n${lines.join('\n')}`]
  })
  const about = front === undefined ? [] : [`> ${openingOf(front)}`]
  return `${['# Carillon', ...about, ...sections].join('\n\n')}\n`
}

/** All pages one after the other, in the order of the list, each with where it comes from. */
export const modelText = (pages: readonly ModelPage[]): string =>
  parts
    .flatMap(([title]) => pages.filter(({ path }) => partOf(path) === title))
    .map(({ path, text }) => `<!-- ${path} -->\n\n${text.trim()}\n`)
    .join('\n')
