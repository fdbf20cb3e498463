/** The clients that the settings may name, by how each is expected to fare; `target` is the one that is judged with. */
export type ClientName =
  | 'target'
  | 'second'
  | 'noCustomer'
  | 'inactive'
  | 'unauthorized'
  | 'exhausted'
  | 'disposable'
