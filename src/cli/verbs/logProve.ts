/**
 * `carillon log prove` and `carillon log check-proof`: one event of a log, shown to someone who does not have the log.
 */
import { Option, type Command } from 'commander'
import type { PublicKey } from '../../identity/PublicKey.js'
import { checkProof, proveEvent } from '../../history/InclusionProof.js'
import { parseCheckpoint } from '../../history/parseCheckpoint.js'
import { describeEvent } from '../../operator/describeEvent.js'
import { logOption, withNamedLog, type LogOptions } from '../namedLog.js'
import { publicKeyArgument } from '../publicKeyArgument.js'
import { readJsonFile } from '../readJsonFile.js'
import { printable, type Terminal } from '../Terminal.js'
import { bareVerb, jsonOption, verb, wholeNumber, type JsonOptions } from '../verb.js'
import { showInstant } from '../words.js'
import { jsonText, printJson, printNote } from '../print.js'

type ProveOptions = LogOptions & { readonly head?: string }
type CheckOptions = JsonOptions & { readonly by?: PublicKey }

export const prove = (terminal: Terminal): Command =>
  verb('prove', 'print a proof that an event stands in the log, for someone who does not have the log', [
    'log prove 1234 > proof.json',
    'log prove 1234 --head kept-by-bob.json > proof.json',
  ])
    .argument('<revision>', 'the event, as "log show" numbers it', wholeNumber(0))
    .addOption(
      new Option(
        '--head <file>',
        'also lead to this checkpoint, which the other side holds (default: the signature of the tick is the proof)',
      ),
    )
    .addOption(logOption())
    .action(async (revision: number, { head: file, ...named }: ProveOptions) => {
      const head = file === undefined ? undefined : parseCheckpoint(await readJsonFile(file))
      await withNamedLog(named, async (log) => {
        const proof = await proveEvent(log.read(0), revision, head === undefined ? {} : { checkpoint: head })
        terminal.out(jsonText(proof))
        printNote(
          terminal,
          `The proof shows all ${proof.tick.events.length} events of tick ${proof.tick.number} to anyone who gets it.`,
        )
      })
    })

export const checkProofVerb = (terminal: Terminal): Command =>
  bareVerb('check-proof', 'check a proof made by "log prove", without the log', [
    'log check-proof proof.json',
    'log check-proof proof.json --by ed25519:f64e…',
  ])
    .argument('<file>', 'the proof; - reads from stdin')
    .addOption(new Option('--by <key>', 'refuse the proof unless this key has signed it').argParser(publicKeyArgument))
    .addOption(jsonOption())
    .action(async (file: string, { by, json }: CheckOptions) => {
      const proven = checkProof(await readJsonFile(file), by === undefined ? {} : { by })
      if (printJson(terminal, json, { ...proven, text: undefined })) return
      const { type, text } = describeEvent(proven.text, proven.revision)
      terminal.out(
        `${terminal.tone('green', 'The proof holds.')} Revision ${proven.revision}, tick ${proven.tick} at ${showInstant(proven.at)}: ${type} ${printable(text)}`,
      )
      terminal.out(
        proven.checkpoint === undefined
          ? `It stands in the log of ${proven.by}, which has signed the tick.`
          : `It stands in the log of ${proven.by}, which has signed a checkpoint of it at revision ${proven.checkpoint.revision}.`,
      )
      if (by === undefined) printNote(terminal, 'Whose key that is, you must know from elsewhere; --by checks it.')
    })
