/**
 * The names of the framework's flows. States name them in their activities; the flows themselves are made later,
 * with the engine they call back into.
 */
export const flowNames = {
  register: 'chores/Register',
  fire: 'chores/Fire',
  conduct: 'chores/Conduct',
  runTask: 'chores/RunTask',
  control: 'chores/Control',
  resume: 'chores/Resume',
} as const
