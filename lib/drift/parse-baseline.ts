import { Ajv, type ValidateFunction } from 'ajv'
import { baselineFormat, type Baseline } from './baseline.ts'
import { jsonTypes } from './shape.ts'

/** A baseline, or in `wrong` a phrase that says what the text is instead and quotes no value. */
type ParsedBaseline =
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

/** The format was checked before. */
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

/** Compiled once, and only if there is a baseline. */
let compiled: ValidateFunction<Baseline> | null = null

/** Reads the text of a baseline file, with or without a byte order mark. */
export function parseBaseline(text: string): ParsedBaseline {
  let data: unknown
  try {
    data = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return { kind: 'wrong', wrong: text.trim() === '' ? 'it is empty' : 'it is not JSON' }
  }
  const otherFormat = formatMistake(data)
  if (otherFormat !== null) return { kind: 'wrong', wrong: otherFormat }
  compiled ??= new Ajv({ meta: false, validateSchema: false }).compile<Baseline>(schema)
  if (compiled(data)) return { kind: 'baseline', baseline: data }

  const [error] = compiled.errors ?? []
  const place = error?.instancePath === '' ? 'the whole file' : error?.instancePath
  return { kind: 'wrong', wrong: `it is a broken baseline: ${place} ${error?.message ?? 'does not fit'}` }
}

/** Says no more of data that does not call itself a baseline: it might be any file. */
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
