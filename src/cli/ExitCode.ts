/**
 * Thrown by a verb that has printed everything and ends with an exit code of its own.
 */

/** The exit code for a flow that has refused. */
export const refusedExitCode = 3

export class ExitCode extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`)
    this.exitCode = exitCode
  }
}
