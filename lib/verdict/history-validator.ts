import { Ajv } from 'ajv'
import { severities } from './causes.ts'
import { historyFormat, keptAsTheyAre, type HistoryLine } from './history-line.ts'
import verdictSchema from './verdict.schema.json' with { type: 'json' }
import { statuses } from './verdict.ts'

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const { sent, budget } = verdictSchema.properties.requests.properties

const cause = {
  type: 'object',
  required: ['severity', 'warning', 'sentence', 'rule', 'fingerprint'],
  properties: {
    severity: { enum: severities },
    warning: { type: 'boolean' },
    sentence: text,
    rule: text,
    fingerprint: text,
  },
}

const ruleLists = ['fingerprints', 'waived', 'follows', 'intermittent', 'unconfirmed', 'underConditions']

const rule = {
  type: 'object',
  required: ['id', 'status', 'fingerprints', 'intermittent'],
  properties: {
    id: text,
    status: { enum: statuses },
    ...Object.fromEntries(ruleLists.map((name) => [name, texts])),
  },
}

const schema = {
  type: 'object',
  required: ['format', ...keptAsTheyAre, 'requests', 'causes', 'rules'],
  properties: {
    ...Object.fromEntries(keptAsTheyAre.map((name) => [name, verdictSchema.properties[name]])),
    format: { const: historyFormat },
    digest: text,
    requests: { type: 'object', required: ['sent', 'budget'], properties: { sent, budget } },
    exceptions: { type: 'integer' },
    causes: { type: 'array', items: cause },
    rules: { type: 'array', items: rule },
  },
  definitions: verdictSchema.definitions,
}

const ajv = new Ajv({ strictTypes: false, useDefaults: true, code: { source: true, esm: true } })

/** Whether a value is a line from the history. Later versions may add any other fields. The function is compiled during the build. */
export const fitsHistory = ajv.compile<HistoryLine & { readonly format: string }>(schema)
