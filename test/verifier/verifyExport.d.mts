/** What the independent verifier offers to the specs here; the module itself is plain JavaScript. */

export type Finding = { readonly kind: string; readonly revision: number; readonly until?: number }

export type Verification = {
  readonly ticks: number
  readonly events: number
  readonly head: string
  readonly findings: readonly Finding[]
}

export declare const verifyExport: (
  bytes: Uint8Array,
  options?: { readonly checkpoints?: readonly object[]; readonly by?: string },
) => Verification
