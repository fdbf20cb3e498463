/** The `AbortSignal` type of the caller's project, from Node or browsers. A project without either can still use the library's types. */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean; readonly reason: unknown }
