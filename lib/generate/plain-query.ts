import { isObject, objectOr } from '../json/json-value.ts'
/** The shortest query for a JSON Schema: required parameters with a named or plainest value, percent-encoded, without `?`; or null. */
export function plainQuery(schema: object | null): string | null {
  if (!isObject(schema) || !Array.isArray(schema['required'])) return null
  const properties = objectOr(schema['properties'])
  const parameters = schema['required']
    .filter((name) => typeof name === 'string')
    .map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(valueFor(properties[name]))}`)

  return parameters.length === 0 ? null : parameters.join('&')
}

function valueFor(schema: unknown): string {
  if (!isObject(schema)) return 'a'
  for (const keyword of ['default', 'const', 'enum', 'examples', 'minimum'] as const) {
    const named = schema[keyword]
    const value: unknown = Array.isArray(named) ? named[0] : named
    if (['string', 'number', 'boolean'].includes(typeof value)) return String(value)
  }
  return schema['type'] === 'boolean'
    ? 'true'
    : ['integer', 'number'].includes(String(schema['type']))
      ? '1'
      : 'a'
}
