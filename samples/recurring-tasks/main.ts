/**
 * The sample's command line. Without arguments it shows a day in seconds; with a store folder it schedules, cancels
 * and lists real tasks: npm run sample:tasks -- --help
 */
import { Command } from 'commander'
import { instant, startNode, type Node } from 'carillon'
import { recurringTasks } from './app.js'
import { showDay } from './day.js'
import { root, signed } from './model/Origin.js'
import { instantOf, unixTime, type UnixTime } from './model/timeSlots.js'
import { TaskRegistry, type TaskStatus } from './TaskRegistry.js'

const program = new Command('recurring-tasks').description('Tasks triggered by time slots, on a ledger')
const option = () => program.opts<{ readonly store: string }>()
program.option('--store <folder>', 'where the ledger is kept', '.recurring-tasks')

/** Unix seconds, or an instant such as 2026-01-31T09:00Z. */
const time = (text: string): UnixTime => (/^\d+$/.test(text) ? Number(text) : unixTime(instant(text)))
const now = (): UnixTime => Math.floor(Date.now() / 1_000)

const withRegistry = async (use: (registry: TaskRegistry, node: Node) => Promise<void>): Promise<void> => {
  const node = await startNode({ app: recurringTasks(), store: option().store, party: 'Operator' })
  try {
    await use(await TaskRegistry.open(node), node)
  } finally {
    await node.stop()
  }
}

const show = (outcome: { readonly ok: boolean }): void => {
  console.log(JSON.stringify(outcome))
  if (!outcome.ok) process.exitCode = 1
}

program
  .command('day', { isDefault: true })
  .description('a day in seconds, with an outage')
  .action(() => showDay(console.log))

program
  .command('endow <account> <amount>')
  .description('give an account money, as root')
  .action((account: string, amount: string) =>
    withRegistry(async (registry) => {
      show(await registry.endow(account, Number(amount), root))
    }),
  )

program
  .command('schedule <account> <id> <times...>')
  .description('schedule a notification, or a transfer with --to and --amount')
  .option('--message <text>', 'what to notify', 'hello')
  .option('--to <account>', 'transfer to this account instead')
  .option('--amount <amount>', 'how much to transfer', '0')
  .action(
    (
      account: string,
      id: string,
      times: readonly string[],
      options: { message: string; to?: string; amount: string },
    ) =>
      withRegistry(async (registry) => {
        const slots = times.map(time)
        show(
          options.to === undefined
            ? await registry.scheduleNotifyTask(signed(account), id, slots, options.message)
            : await registry.scheduleNativeTransferTask(signed(account), id, slots, options.to, Number(options.amount)),
        )
      }),
  )

program
  .command('cancel <account> <task>')
  .description('cancel a task by its task id')
  .action((account: string, task: string) =>
    withRegistry(async (registry) => {
      show(await registry.cancel(account === 'root' ? root : signed(account), task))
    }),
  )

program
  .command('list')
  .description('tasks by owner, status and due time')
  .option('--owner <account>')
  .option('--status <status>', 'scheduled, queued or missed')
  .option('--due-before <time>')
  .action((options: { owner?: string; status?: TaskStatus; dueBefore?: string }) =>
    withRegistry(async (registry) => {
      const { owner, status, dueBefore } = options
      const query = {
        ...(owner === undefined ? {} : { owner }),
        ...(status === undefined ? {} : { status }),
        ...(dueBefore === undefined ? {} : { dueBefore: time(dueBefore) }),
      }
      for await (const task of registry.tasks(query)) {
        const due = task.due === undefined ? '-' : instantOf(task.due)
        console.log(`${task.id}  ${task.owner}/${task.providedId}  ${task.status}  due ${due}  ${task.action.kind}`)
      }
    }),
  )

program
  .command('slots')
  .description('the next free time slots')
  .option('--count <number>', 'how many', '5')
  .action(({ count }: { count: string }) =>
    withRegistry(async (registry) => {
      for (const slot of await registry.nextFreeSlots(Number(count), now())) console.log(`${slot}  ${instantOf(slot)}`)
    }),
  )

program
  .command('run')
  .description('run tasks until interrupted')
  .action(() =>
    withRegistry(
      () =>
        new Promise((resolve) => {
          process.once('SIGINT', () => resolve())
          process.once('SIGTERM', () => resolve())
        }),
    ),
  )

await program.parseAsync()
