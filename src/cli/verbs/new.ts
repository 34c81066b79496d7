/**
 * `carillon new`: a folder with a small app that runs and is tested.
 */
import { Option, type Command } from 'commander'
import { newApp, summaryOf, templateNames, type Template } from '../newApp.js'
import type { Terminal } from '../Terminal.js'
import { bareVerb, jsonOption, type JsonOptions } from '../verb.js'
import { printJson } from '../print.js'

type Options = JsonOptions & { readonly template: Template; readonly package?: string }

const templateOption = (): Option =>
  new Option(
    '--template <template>',
    `what the app is about: ${templateNames.map((name) => `${name} (${summaryOf(name)})`).join(', ')}`,
  )
    .choices(templateNames)
    .default('deadline')

export const newVerb = (terminal: Terminal): Command =>
  bareVerb('new', 'make a folder with a small app that runs and is tested', [
    'new water-plants',
    'new loans --template parties',
  ])
    .argument('<name>', 'the name of the app and of its folder')
    .addOption(templateOption())
    .addOption(
      new Option(
        '--package <file-or-version>',
        'the Carillon that the app uses: a file that "npm pack" has made, which is copied into the folder, or a version (default: the one that this is)',
      ),
    )
    .addOption(jsonOption())
    .action((name: string, { json, template, package: carillon }: Options) => {
      const { folder, files } = newApp(name, process.cwd(), {
        template,
        ...(carillon === undefined ? {} : { carillon }),
      })
      if (printJson(terminal, json, { name, template, folder, files })) return
      terminal.out(terminal.tone('bold', `${name} is ready: ${summaryOf(template)}.`))
      for (const file of files) terminal.out(`  ${name}/${file}`)
      terminal.out('')
      terminal.out('Next:')
      for (const command of [`cd ${name}`, 'npm install', 'npm test', 'npm start']) terminal.out(`  ${command}`)
    })
