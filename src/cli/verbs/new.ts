/**
 * `carillon new`: a folder with a small app that runs and is tested.
 */
import type { Command } from 'commander'
import { newApp } from '../newApp.js'
import type { Terminal } from '../Terminal.js'
import { bareVerb, jsonOption, type JsonOptions } from '../verb.js'
import { printJson } from '../print.js'

export const newVerb = (terminal: Terminal): Command =>
  bareVerb('new', 'make a folder with a small app that runs and is tested', ['new water-plants'])
    .argument('<name>', 'the name of the app and of its folder')
    .addOption(jsonOption())
    .action((name: string, { json }: JsonOptions) => {
      const { folder, files } = newApp(name, process.cwd())
      if (printJson(terminal, json, { name, folder, files })) return
      terminal.out(terminal.tone('bold', `${name} is ready.`))
      for (const file of files) terminal.out(`  ${name}/${file}`)
      terminal.out('')
      terminal.out('Next:')
      for (const command of [`cd ${name}`, 'npm install', 'npm test', 'npm start']) terminal.out(`  ${command}`)
    })
