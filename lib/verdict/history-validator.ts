import { Ajv } from 'ajv'
import { membersNamed } from '../text/members.ts'
import { severities } from './causes.ts'
import { historyFormat, keptAsTheyAre, type HistoryLine } from './history-line.ts'
import verdictSchema from './verdict.schema.json' with { type: 'json' }
import { statuses } from './verdict.ts'

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const { sent, budget } = verdictSchema.properties.requests.properties

/** The schema of an object with these properties, of which some may be absent. */
function objectOf(required: object, optional: object = {}): object {
  return {
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optional },
  }
}

const cause = {
  severity: { enum: severities },
  warning: { type: 'boolean' },
  sentence: text,
  rule: text,
  fingerprint: text,
}
const rule = {
  id: text,
  status: { enum: statuses },
  fingerprints: texts,
  intermittent: texts,
}
const lists = { waived: texts, follows: texts, unconfirmed: texts, underConditions: texts }
const run = {
  format: { const: historyFormat },
  ...membersNamed(verdictSchema.properties, keptAsTheyAre),
  requests: objectOf({ sent, budget }),
  causes: { type: 'array', items: objectOf(cause) },
  rules: { type: 'array', items: objectOf(rule, lists) },
}
const { definitions } = verdictSchema
const schema = { ...objectOf(run, { digest: text, exceptions: { type: 'integer' } }), definitions }

const ajv = new Ajv({
  strictTypes: false,
  useDefaults: true,
  code: { source: true, esm: true },
})

/** Whether a value is a line from the history. Later versions may add any other fields. The function is compiled during the build. */
export const fitsHistory = ajv.compile<HistoryLine & { readonly format: string }>(schema)
