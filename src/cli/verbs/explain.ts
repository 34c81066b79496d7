/**
 * `carillon explain`: what an error code means, why it happens and what to do, without a network.
 */
import { Argument, type Command } from 'commander'
import { catalogue } from '../../errors/catalogue.js'
import { errorCodeNamed, errorCodes, readErrorPage } from '../errorPage.js'
import { printJson, printList } from '../print.js'
import { printable, type Terminal } from '../Terminal.js'
import { bareVerb, jsonOption, type JsonOptions } from '../verb.js'

/** Other errors are named by their codes, other pages by where they lie in the package. */
const withoutLinks = (text: string): string =>
  text.replace(/\[([^\]]+)\]\(([^)]+)\)/g, (_, label: string, target: string) =>
    target.startsWith('../') ? `${label} (docs/${target.slice('../'.length)})` : label,
  )

/** Markdown as a person reads it in a terminal: headings in bold, what is printed or typed indented. */
const printPage = (terminal: Terminal, text: string): void => {
  let isFenced = false
  for (const line of withoutLinks(text.trimEnd()).split('\n')) {
    if (line.startsWith('```')) isFenced = !isFenced
    else if (isFenced) terminal.out(`  ${printable(line)}`)
    else if (line.startsWith('#')) terminal.out(terminal.tone('bold', line.replace(/^#+ /, '')))
    else terminal.out(printable(line))
  }
}

export const explainVerb = (terminal: Terminal): Command =>
  bareVerb('explain', 'say what an error code means, why it happens and what to do', [
    'explain flow-parked',
    'explain',
    'explain flow-parked --json',
  ])
    .addArgument(new Argument('[code]', 'the code, as an error names it; without one all codes are listed'))
    .addOption(jsonOption('print JSON instead of text: one document, or one a line when all are listed'))
    .action(async (code: string | undefined, { json }: JsonOptions) => {
      if (code === undefined)
        return printList(terminal, json, {
          rows: errorCodes.map((each) => ({ code: each, ...catalogue[each] })),
          columns: [
            { header: 'code', cell: ({ code: each }) => each },
            { header: 'consequence', cell: ({ consequence }) => consequence },
            { header: 'what happened', cell: ({ title }) => title, flexible: true },
          ],
          empty: 'There is none.',
        })
      const page = readErrorPage(errorCodeNamed(code))
      if (!printJson(terminal, json, page)) printPage(terminal, page.text)
    })
