import { Ajv } from 'ajv'
import schema from './verdict.schema.json' with { type: 'json' }
import type { Verdict } from './verdict.ts'

const ajv = new Ajv({
  allErrors: true,
  strictTypes: false,
  useDefaults: true,
  code: { source: true, esm: true },
})

/** Whether a value is a verdict. Reports all mistakes. The function is compiled during the build. */
export const fitsVerdictWholly = ajv.compile<Verdict>(schema)
