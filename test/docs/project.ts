/**
 * The code of the pages as the files of a stranger's app: a folder a page, in a project that has installed carillon,
 * io-ts, fp-ts, pg, chai and tsx, and nothing else of ours. CONTRIBUTING.md tells writers the convention.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { repository, type Block, type Page } from './pages.js'

export type Source = {
  readonly page: Page
  /** File name within the page's folder. */
  readonly name: string
  readonly file: string
  readonly text: string
  /** For each line of the file, its line on its page; undefined for a file that comes from an earlier page. */
  readonly lines: readonly number[] | undefined
  /** What it prints, when the page says so. */
  readonly expected: string | undefined
}

type Draft = { text: string; lines: number[] | undefined; expected: string | undefined }

const named = /^\/\/ ([\w./-]+\.ts)( \(continued\)| \(not run\))?$/

const add = (files: Map<string, Draft>, { path }: Page, block: Block, expected: string | undefined): void => {
  const [, name, remark] = named.exec(block.text.split('\n')[0] ?? '') ?? []
  const file = name ?? `line-${block.line}.ts`
  const known = files.get(file)
  const lines = block.text.split('\n').map((_, index) => block.line + index)
  if (remark === ' (continued)') {
    if (known === undefined) throw new Error(`${path}:${block.line} continues ${file}, which was not begun`)
    known.text += `\n${block.text}`
    known.lines = known.lines === undefined ? undefined : [...known.lines, ...lines]
    known.expected = expected ?? known.expected
    return
  }
  if (known?.lines !== undefined)
    throw new Error(`${path}:${block.line} names ${file} a second time; write "// ${file} (continued)" to add to it`)
  files.set(file, { text: block.text, lines, expected })
}

/** The text block after a block says what it prints; the command that runs it may stand between them. */
const expectedAfter = (page: Page, block: Block): string | undefined => {
  const next = page.blocks.slice(page.blocks.indexOf(block) + 1).find(({ language }) => language !== 'sh')
  return next?.language === 'text' ? next.text : undefined
}

const inherited = (files: ReadonlyMap<string, Draft>): Map<string, Draft> =>
  new Map([...files].map(([name, draft]) => [name, { ...draft, lines: undefined, expected: undefined }]))

const filesOf = (page: Page, earlier: ReadonlyMap<string, Draft>): Map<string, Draft> => {
  const files = inherited(earlier)
  for (const block of page.blocks) if (block.language === 'ts') add(files, page, block, expectedAfter(page, block))
  return files
}

/** Lays the project out under a folder and gives its sources. */
export const layOut = (folder: string, pages: readonly Page[]): readonly Source[] => {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  symlinkSync(repository, join(modules, 'carillon'), 'junction')
  for (const name of ['io-ts', 'fp-ts', 'pg', 'chai', 'tsx', '@types'])
    symlinkSync(join(repository, 'node_modules', name), join(modules, name), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "name": "a-strangers-app", "private": true, "type": "module" }\n')

  const isTutorial = ({ path }: Page): boolean => path.startsWith('docs/tutorial/')
  const withCode = pages.filter(({ blocks }) => blocks.some(({ language }) => language === 'ts'))
  // The pages of the tutorial are one project: each begins with the files of the one before, all others with the last.
  let files: ReadonlyMap<string, Draft> = new Map()
  const laidOut: (readonly [Page, ReadonlyMap<string, Draft>])[] = []
  for (const page of withCode.filter(isTutorial)) {
    files = filesOf(page, files)
    laidOut.push([page, files])
  }
  for (const page of withCode.filter((other) => !isTutorial(other))) laidOut.push([page, filesOf(page, files)])

  return laidOut.flatMap(([page, drafts]) =>
    [...drafts].map(([name, { text, lines, expected }]): Source => {
      const file = join(folder, page.path.replace(/\.md$/, ''), name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `${text}\n`)
      return { page, name, file, text, lines, expected }
    }),
  )
}

/** Whether another file of the page imports this one: then it is run with that one. */
const isImported = (source: Source, sources: readonly Source[]): boolean => {
  const specifier = source.name.replace(/\.ts$/, '.js')
  return sources.some(
    ({ page, text }) =>
      page === source.page && (text.includes(`'./${specifier}'`) || text.includes(`'../${specifier}'`)),
  )
}

const isMarked = ({ text }: Source): boolean => /^\/\/ \S+ \(not run\)$/m.test(text.split('\n')[0] ?? '')

/** What a page lets run itself: files that nothing else on it imports, and those whose output it shows. */
export const programsOf = (sources: readonly Source[]): readonly Source[] =>
  sources.filter(
    (source) =>
      source.lines !== undefined &&
      !isMarked(source) &&
      (source.expected !== undefined || !isImported(source, sources)),
  )

/** Where a line of a file stands on its page. */
export const placeOf = ({ page, lines, name }: Source, line: number): string =>
  lines === undefined ? `${page.path} (${name} of an earlier page)` : `${page.path}:${lines[line] ?? ''}`
