/** An entry of the endpoints file: a further endpoint to judge by every generic rule. */
export interface EndpointEntry {
  readonly method: string
  /** From `/api/`. */
  readonly path: string
  readonly versions: readonly number[]
  /** JSON Schemas, checked at start; null where not given. */
  readonly query: object | null
  readonly success: object | null
  /** Without `?`. */
  readonly invalidQuery: string | null
  /** Whether a method with side effects may be fuzzed. */
  readonly fuzz: boolean
}
