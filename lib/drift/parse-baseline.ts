import { Ajv, type ValidateFunction } from 'ajv'
import { baselineFormat, type Baseline } from './baseline.ts'
import { jsonTypes } from './seen.ts'

/** What became of a text that should be a baseline; `wrong` is a phrase that says what it is instead, and quotes no value. */
export type ParsedBaseline =
  | { readonly kind: 'baseline'; readonly baseline: Baseline }
  | { readonly kind: 'wrong'; readonly wrong: string }

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

/** Of what names the format: that is asked first. */
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

let compiled: ValidateFunction<Baseline> | null = null

/** Compiled once, and only where there is a baseline. */
function validator(): ValidateFunction<Baseline> {
  compiled ??= new Ajv({ meta: false, validateSchema: false }).compile<Baseline>(schema)
  return compiled
}

/** Reads the text of a baseline file; a byte order mark is no part of it. */
export function parseBaseline(text: string): ParsedBaseline {
  let data: unknown
  try {
    data = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return { kind: 'wrong', wrong: text.trim() === '' ? 'it is empty' : 'it is not JSON' }
  }
  const otherFormat = formatMistake(data)
  if (otherFormat !== null) return { kind: 'wrong', wrong: otherFormat }
  const validate = validator()
  if (validate(data)) return { kind: 'baseline', baseline: data }

  const [error] = validate.errors ?? []
  const place = error?.instancePath === '' ? 'the whole file' : error?.instancePath
  return { kind: 'wrong', wrong: `it is a broken baseline: ${place} ${error?.message ?? 'does not fit'}` }
}

/** Where it does not call itself a baseline, nothing more is said of it: it might be any file. */
function formatMistake(data: unknown): string | null {
  const format: unknown =
    typeof data === 'object' && data !== null && 'format' in data ? data.format : undefined
  if (format === baselineFormat) return null
  if (typeof format !== 'string') return `it does not say that its format is ${baselineFormat}`

  const isOtherVersion = /^card-switch-conformance\/baseline\/\d+$/.test(format)
  return isOtherVersion
    ? `its format is ${format}, and this version of the suite reads ${baselineFormat}`
    : `it is of another format than ${baselineFormat}`
}
