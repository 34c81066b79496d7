/**
 * `carillon simulate`: runs an app in networks where everything goes wrong, and shows the shortest history in which
 * something is not as it must be.
 */
import { availableParallelism } from 'node:os'
import { Option, type Command } from 'commander'
import { CarillonError } from '../../errors/CarillonError.js'
import { describeBoundaries, describeFailure, describeReport } from '../../testing/simulation/SimulationReport.js'
import { simulate as simulateApp, type SimulationOptions } from '../../testing/simulation/simulate.js'
import { simulateInProcesses, workerFlag, workOff } from '../simulateInProcesses.js'
import { bar } from '../ProgressBar.js'
import { printable, type Terminal } from '../Terminal.js'
import { bareVerb, jsonOption, namesIn, wholeNumber, type JsonOptions } from '../verb.js'
import { withApp } from '../withApp.js'
import { printLine } from '../print.js'

type Options = JsonOptions & {
  readonly seeds: number
  readonly from: number
  readonly seed?: number
  readonly actions?: number
  readonly parties?: readonly string[]
  readonly hostile?: number
  readonly exhaustive?: number
  readonly stopAtFirst?: boolean
  readonly processes?: number
  readonly asWorker?: boolean
}

/** Another process takes as long to start as some histories take. */
const seedsPerProcess = 10

const processesFor = (seeds: number): number =>
  Math.min(availableParallelism(), Math.max(1, Math.floor(seeds / seedsPerProcess)))

/** What has to be typed to see one seed again. */
const repeatOf = (module: string, seed: number, { actions, parties, hostile, exhaustive }: Options): string =>
  `carillon simulate ${module} --seed ${seed}${actions === undefined ? '' : ` --actions ${actions}`}${parties === undefined ? '' : ` --parties ${parties.join(',')}`}${hostile === undefined ? '' : ` --hostile ${hostile}`}${exhaustive === undefined ? '' : ` --exhaustive ${exhaustive}`}`

export const simulateVerb = (terminal: Terminal): Command =>
  bareVerb('simulate', 'run an app through random histories of crashes, lost messages and failing disks', [
    'simulate src/app.ts',
    'simulate src/app.ts --seeds 1000',
    'simulate src/app.ts --seed 17',
    'simulate src/app.ts --hostile 1',
    'simulate src/app.ts --seeds 1 --exhaustive 1000',
  ])
    .argument('<app-module>', 'a module that exports `app`, and perhaps `simulation`: a workload, invariants, parties')
    .addOption(new Option('--seeds <count>', 'how many histories').argParser(wholeNumber(1)).default(50))
    .addOption(new Option('--from <seed>', 'the first seed').argParser(wholeNumber(0)).default(0))
    .addOption(new Option('--seed <seed>', 'one history only, the same every time').argParser(wholeNumber(0)))
    .addOption(new Option('--actions <count>', 'how many things happen in a history').argParser(wholeNumber(1)))
    .addOption(new Option('--parties <names>', 'the parties, separated by commas').argParser(namesIn))
    .addOption(
      new Option('--hostile <count>', 'how many hostile members break the protocol as they like').argParser(
        wholeNumber(0),
      ),
    )
    .addOption(
      new Option(
        '--exhaustive <count>',
        'nothing goes wrong; instead try all orders in which things can come, at most so many for each seed',
      ).argParser(wholeNumber(1)),
    )
    .addOption(new Option('--stop-at-first', 'stop at the first history that fails'))
    .addOption(
      new Option('--processes <count>', 'how many processes share the work (default: one a core)').argParser(
        wholeNumber(1),
      ),
    )
    .addOption(new Option(workerFlag).hideHelp())
    .addOption(jsonOption('print one JSON document'))
    .action((module: string, options: Options) =>
      withApp(module, async ({ app, simulation }) => {
        const {
          seed,
          seeds,
          from,
          actions,
          parties,
          hostile,
          exhaustive,
          json,
          stopAtFirst = false,
          asWorker,
        } = options
        const chosen = seed === undefined ? Array.from({ length: seeds }, (_, index) => from + index) : [seed]
        const given: SimulationOptions = {
          ...simulation,
          app,
          ...(actions === undefined ? {} : { actions }),
          ...(parties === undefined ? {} : { parties }),
          ...(hostile === undefined ? {} : { hostile }),
          ...(exhaustive === undefined ? {} : { exhaustive }),
          stopAtFirst,
        }
        if (asWorker === true) {
          await workOff((one) => simulateApp({ ...given, seeds: [one] }))
          return
        }
        let done = 0
        const onSeed: SimulationOptions['onSeed'] = (number, failure) => {
          done += 1
          terminal.status(`Simulating ${app.name}: ${bar(done, chosen.length)}, ${done} of ${chosen.length} histories`)
          if (failure === undefined || json === true) return
          for (const line of describeFailure(failure, repeatOf(module, number, options))) terminal.out(printable(line))
          terminal.out('')
        }
        const processes = options.processes ?? processesFor(chosen.length)
        const report =
          processes === 1
            ? await simulateApp({ ...given, seeds: chosen, onSeed })
            : await simulateInProcesses({ seeds: chosen, processes, stopAtFirst, onSeed })
        terminal.status('')
        printLine(terminal, json, report, `${describeReport(report)}\n${describeBoundaries(report)}`)
        if (report.failures.length > 0)
          throw new CarillonError(
            'simulation-failed',
            `${report.failures.length} of ${report.seeds} simulated histories of app ${app.name} broke an invariant, the first with seed ${report.failures[0]?.seed ?? 0}. Repeat it: ${repeatOf(module, report.failures[0]?.seed ?? 0, options)}`,
            { seeds: report.failures.map((failure) => String(failure.seed)) },
          )
      }),
    )
