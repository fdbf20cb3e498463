/** The clients of the settings, by their expected treatment; `target` is the one that is judged with. */
export type ClientName = (typeof clientNames)[number]

/** Every client that settings may name. */
export const clientNames = [
  'target',
  'second',
  'noCustomer',
  'inactive',
  'unauthorized',
  'exhausted',
  'disposable',
] as const
