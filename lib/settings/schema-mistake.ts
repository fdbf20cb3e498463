import { Ajv } from 'ajv'
import formats from 'ajv-formats'

/** Why Ajv cannot compile a user's JSON Schema (draft-07), or null where it can. */
export function schemaMistake(schema: object): string | null {
  if ('$async' in schema) return '$async is not supported'
  // Unknown keywords are refused, since a misspelt one would check nothing; how types are written is the user's taste.
  const ajv = formats.default(new Ajv({ strictTypes: false, strictTuples: false, logger: false }))

  try {
    const validate = ajv.compile(schema)
    // A schema that refers to itself without end compiles.
    for (const value of probes) validate(value)
    return null
  } catch (error) {
    if (error instanceof RangeError) return 'it is too large, or refers to itself without end'
    return error instanceof Error ? error.message : String(error)
  }
}

const probes: readonly unknown[] = [{}, [], '', 0, true, null]
