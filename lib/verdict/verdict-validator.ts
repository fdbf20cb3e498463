import { Ajv } from 'ajv'
import type { Verdict } from './verdict.ts'
import schema from './verdict.schema.json' with { type: 'json' }

const ajv = new Ajv({ strictTypes: false, useDefaults: true, code: { source: true, esm: true } })

/** Whether a value is a verdict; stops at the first mistake, and adds what a finding or rule may lack. The build compiles it. */
export const fitsVerdict = ajv.compile<Verdict>(schema)
