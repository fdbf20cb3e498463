import { Ajv } from 'ajv'
import schema from './verdict.schema.json' with { type: 'json' }
import type { Verdict } from './verdict.ts'

const ajv = new Ajv({
  strictTypes: false,
  useDefaults: true,
  code: { source: true, esm: true },
})

/** Whether a value is a verdict. Stops at the first mistake, and adds default values that a finding or rule may omit. The function is compiled during the build. */
export const fitsVerdict = ajv.compile<Verdict>(schema)
