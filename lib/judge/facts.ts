/**
 * What is known about a request when it arrives. Each fact is a union, so that no combination is without a meaning;
 * `secretKey` is relative to the API key: `valid` is the key's own secret, or anybody's where the key is not valid.
 */
export interface Facts {
  readonly apiKey: (typeof factValues.apiKey)[number]
  readonly secretKey: (typeof factValues.secretKey)[number]
  readonly version: (typeof factValues.version)[number]
  readonly endpoint: (typeof factValues.endpoint)[number]
  readonly state: (typeof factValues.state)[number]
  readonly customer: (typeof factValues.customer)[number]
  readonly permission: (typeof factValues.permission)[number]
  readonly quota: (typeof factValues.quota)[number]
  readonly input: (typeof factValues.input)[number]
}

/** Every value of every fact. */
export const factValues = {
  apiKey: ['valid', 'absent', 'blank', 'invalid'],
  secretKey: ['valid', 'absent', 'blank', 'nobodys', 'another-clients'],
  /** `odd`: an integer written so that some parser reads it; `other`: an integer of which nothing is known. */
  version: ['served', 'absent', 'blank', 'malformed', 'odd', 'unsupported', 'out-of-range', 'other'],
  /** `uncertain`: a near miss of a known path, where an endpoint may stand that the specification does not show. */
  endpoint: ['exists', 'unknown', 'uncertain'],
  state: ['active', 'inactive'],
  customer: ['found', 'none'],
  permission: ['permitted', 'denied'],
  quota: ['left', 'used-up'],
  /** `uncertain`: undocumented parameters, which may or may not be valid. */
  input: ['valid', 'uncertain', 'invalid'],
} as const

/** The name of every fact. */
export const factNames = [
  'apiKey',
  'secretKey',
  'version',
  'endpoint',
  'state',
  'customer',
  'permission',
  'quota',
  'input',
] as const satisfies readonly (keyof Facts)[]

/** The facts of a plain valid request. */
export const flawless: Facts = {
  apiKey: 'valid',
  secretKey: 'valid',
  version: 'served',
  endpoint: 'exists',
  state: 'active',
  customer: 'found',
  permission: 'permitted',
  quota: 'left',
  input: 'valid',
}
