/**
 * The `AbortSignal` of the caller's own types: those of Node, or of browsers. A project with neither can still read the types of the
 * library.
 */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean; readonly reason: unknown }
