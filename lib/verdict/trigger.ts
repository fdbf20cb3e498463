import type { Finding, ShownExchange } from '../judge/record.ts'
import { requiredFields } from '../specification/endpoints.ts'
import { commonTo } from '../text/counts.ts'
import { percentDecoded } from '../text/percent.ts'

type Request = ShownExchange['request']

/** Fields that every request may have; what is special about their values is a flaw of its own. */
const usual: readonly string[] = [
  ...requiredFields,
  'accept',
  'user-agent',
  'host',
  'connection',
  'traceparent',
]
const longestField = 60

/**
 * What all these requests have besides their flaws and conditions, so that it may be what makes the service fail: `which cannot be
 * decoded`, `with the byte b2 in x-version`, `with version: 1`; null if nothing is known. Nothing of it is proven.
 */
export function triggerOf(findings: readonly Finding[]): string | null {
  const requests = findings.map(({ exchange }) => exchange.request)
  const bytes = commonTo(requests, oddBytes)
  if (bytes.length > 0 && bytes.length <= 3) return `with ${bytes.join(' and ')}`
  if (requests.length > 0 && requests.every(({ url }) => !canBeDecoded(url))) return 'which cannot be decoded'
  const conditions = new Set(findings.flatMap(({ sent }) => sent?.conditions ?? []).map(nameOf))
  const fields = commonTo(requests, extraFields).filter((field) => !conditions.has(nameOf(field)))
  return fields.length === 0 || fields.length > 2 ? null : `with ${fields.join(' and ')}`
}

function nameOf(field: string): string {
  return field.split(':')[0]?.toLowerCase() ?? ''
}

/** `the byte b2 in x-version`, of bytes that are no printable ASCII. */
function oddBytes({ headers }: Request): readonly string[] {
  return headers.flatMap(([name, value]) =>
    [...value]
      .map((character) => character.codePointAt(0) ?? 0)
      .filter((code) => code <= 0xff && (code > 0x7e || (code < 0x20 && code !== 0x09)))
      .map((code) => `the byte ${code.toString(16).padStart(2, '0')} in ${name.toLowerCase()}`),
  )
}

function extraFields({ headers }: Request): readonly string[] {
  return headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name, value]) => !usual.includes(name) && name.length + value.length <= longestField)
    .map(([name, value]) => (value === '' ? `an empty ${name}` : `${name}: ${value}`))
}

/** Whether a path, percent-decoded, is text. */
function canBeDecoded(url: string): boolean {
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split('?')[0] ?? ''
  return percentDecoded(path) !== null
}
