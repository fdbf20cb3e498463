import { Ajv } from 'ajv'
import type { Baseline } from './baseline.ts'
import { jsonTypes } from './shape.ts'

const count = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

const shape = {
  type: 'object',
  propertyNames: { pattern: '^\\$' },
  additionalProperties: {
    type: 'object',
    minProperties: 1,
    additionalProperties: false,
    properties: { ...Object.fromEntries(jsonTypes.map((type) => [type, count])), cut: { const: true } },
  },
}

const answer = {
  type: 'object',
  required: ['seen', 'shape'],
  additionalProperties: false,
  properties: { seen: count, shape },
}

/** The format has already been checked. */
const schema = {
  type: 'object',
  required: ['stimuli'],
  additionalProperties: false,
  properties: {
    format: true,
    stimuli: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        propertyNames: { pattern: '^[1-9]\\d\\d/(\\d{4}|other)?$' },
        additionalProperties: answer,
      },
    },
  },
}

const ajv = new Ajv({ meta: false, validateSchema: false, code: { source: true, esm: true } })

/** Whether a value is a baseline. The function is compiled during the build. */
export const fitsBaseline = ajv.compile<Baseline>(schema)
