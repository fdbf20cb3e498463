/** The clients of the settings, by their expected treatment; `target` is the one that is judged with. */
export type ClientName =
  | 'target'
  | 'second'
  | 'noCustomer'
  | 'inactive'
  | 'unauthorized'
  | 'exhausted'
  | 'disposable'
