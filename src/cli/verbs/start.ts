/**
 * `carillon start`: starts a flow on the running node and waits for what it returns.
 */
import { Option, type Command } from 'commander'
import { CarillonError } from '../../errors/CarillonError.js'
import { ControlClient } from '../../node/ControlClient.js'
import { holderOf } from '../../folder/folderHolder.js'
import { readJsonText } from '../readJsonText.js'
import { operatorName } from '../operatorName.js'
import { printable, type Terminal } from '../Terminal.js'
import { storeHint, verb, type StoreOptions } from '../verb.js'
import { shortId } from '../words.js'

type Options = StoreOptions & { readonly clientId?: string; readonly wait: boolean }

const noticeAfterMs = 1_000

const connect = async (store: string): Promise<ControlClient> => {
  const client = await ControlClient.connect(store)
  if (client !== undefined) return client
  const holder = holderOf(store)
  throw holder === undefined
    ? new CarillonError(
        'node-not-running',
        `No node runs on ${store}, and starting a flow needs the code of the app. Start a node first: carillon run <app-module>${storeHint(store)}`,
        { store },
      )
    : new CarillonError(
        'node-not-running',
        `Process ${holder.pid} holds ${store} but does not listen to commands. It is starting or stopping, or it runs the node without "carillon run".`,
        { store, pid: holder.pid },
      )
}

export const start = (terminal: Terminal): Command =>
  verb('start', 'start a flow on the running node and wait for its result', [
    'start heartbeat/Start',
    `start reminders/Create '{"text":"water the plants"}' --client-id order-17`,
    'start reminders/Create - --no-wait < input.json',
  ])
    .argument('<flow-name>', 'the name of the flow')
    .argument('[json-input]', 'its input; - reads it from stdin', '{}')
    .addOption(new Option('--client-id <id>', 'start it once, however often this is repeated with the same id'))
    .addOption(new Option('--no-wait', 'do not wait for the result'))
    .action(async (name: string, text: string, { store, json, clientId, wait }: Options) => {
      const input = readJsonText(text)
      const client = await connect(store)
      const notice = setTimeout(
        () => terminal.status('Waiting for the flow to end; Ctrl-C leaves it running.'),
        noticeAfterMs,
      )
      try {
        const by = operatorName()
        const flow = await client.start({ flow: name, input, by, ...(clientId === undefined ? {} : { clientId }) })
        if (!wait) {
          terminal.out(json === true ? JSON.stringify({ flow }) : flow)
          return
        }
        const result = await client.result(flow)
        if (json === true) {
          terminal.out(JSON.stringify({ flow, result }))
          return
        }
        terminal.out(printable(JSON.stringify(result, undefined, 2)).replaceAll(String.raw`\u000a`, '\n'))
        terminal.err(
          terminal.tone(
            'dim',
            `${printable(name)} completed. See: carillon flow show ${shortId(flow)}${storeHint(store)}`,
          ),
        )
      } finally {
        clearTimeout(notice)
        terminal.status('')
        client.close()
      }
    })
