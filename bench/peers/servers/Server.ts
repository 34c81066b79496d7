/**
 * A server that a system stands on, fresh for one workload.
 */
export type Server = { readonly address: string; readonly pid: number; readonly stop: () => Promise<void> }

/** Why a server cannot be started here: a sentence for the table. */
export class NoServer extends Error {}
