/**
 * `carillon start`: starts a flow on the running node and waits for what it returns.
 */
import { Option, type Command } from 'commander'
import { ExitCode, refusedExitCode } from '../ExitCode.js'
import { NodeApi } from '../NodeApi.js'
import { readJsonText } from '../readJsonText.js'
import { printable, type Terminal } from '../Terminal.js'
import { apiVerb, placeHint, type ApiOptions } from '../verb.js'
import { shortId } from '../words.js'
import { printJson, printNote } from '../print.js'

type Options = ApiOptions & { readonly clientId?: string; readonly wait: boolean }

const noticeAfterMs = 1_000

export const startVerb = (terminal: Terminal): Command =>
  apiVerb('start', 'start a flow on the running node and wait for its result; exit code 3 when it refuses', [
    'start heartbeat/Start',
    `start reminders/Create '{"text":"water the plants"}' --client-id order-17`,
    'start reminders/Create - --no-wait < input.json',
  ])
    .argument('<flow-name>', 'the name of the flow')
    .argument('[json-input]', 'its input; - reads it from stdin', '{}')
    .addOption(new Option('--client-id <id>', 'start it once, however often this is repeated with the same id'))
    .addOption(new Option('--no-wait', 'do not wait for the result'))
    .action(async (name: string, text: string, { json, clientId, wait, ...place }: Options) => {
      const input = readJsonText(text)
      const { client } = NodeApi.at(place)
      const notice = setTimeout(
        () => terminal.status('Waiting for the flow to end; Ctrl-C leaves it running.'),
        noticeAfterMs,
      )
      try {
        const { id: flow, outcome } = await client.start(name, input, clientId === undefined ? {} : { clientId })
        if (!wait) {
          if (!printJson(terminal, json, { flow })) terminal.out(flow)
          return
        }
        const { kind, ...given } = await outcome()
        if (!printJson(terminal, json, { flow, ...given })) {
          const [value] = Object.values(given)
          // A flow that returns nothing has no result to print.
          if (value !== undefined)
            terminal.out(printable(JSON.stringify(value, undefined, 2)).replaceAll(String.raw`\u000a`, '\n'))
          const ended = kind === 'refused' ? 'refused' : 'completed'
          printNote(
            terminal,
            `${printable(name)} ${ended}. See: carillon flow show ${shortId(flow)}${placeHint(place)}`,
          )
        }
        if (kind === 'refused') throw new ExitCode(refusedExitCode)
      } finally {
        clearTimeout(notice)
        terminal.status('')
      }
    })
