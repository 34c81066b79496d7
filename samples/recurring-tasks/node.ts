/**
 * The registry for `carillon run samples/recurring-tasks/node.ts`: opened at the first start, with its panel, its
 * addresses and its verbs.
 */
import type { Node } from 'carillon'
import { recurringTasks } from './app.js'
import { tasksPanel } from './panel.js'
import { TaskRegistry } from './TaskRegistry.js'
import { tasksVerbs } from './verbs.js'

export const app = recurringTasks()
export const panels = [tasksPanel]
export const verbs = [tasksVerbs]
export { endpoints } from './endpoints.js'
export const onStart = async (node: Node): Promise<void> => {
  await TaskRegistry.open(node)
}
