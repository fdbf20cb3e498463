/** A keyword of a `success` schema that would call a tolerated change a violation. */
export interface Intolerance {
  /** From the schema to the keyword. */
  readonly path: readonly (string | number)[]
  readonly why: string
}

type Path = readonly (string | number)[]

const newProperties = 'new properties in responses are not breaking, so a schema must not forbid them'
const opaqueStrings = 'the length and format of opaque strings may change, so a schema must not fix them'
const order = 'the order may change, so a schema must not go by positions'

/** When a keyword is intolerant, and of what. Source: Versioning, changes that clients must tolerate. */
const intolerant: Readonly<Record<string, (value: unknown) => string | null>> = {
  additionalProperties: (value) => (value === false ? newProperties : null),
  unevaluatedProperties: (value) => (value === false ? newProperties : null),
  propertyNames: () => newProperties,
  patternProperties: () => newProperties,
  maxProperties: () => newProperties,
  pattern: () => opaqueStrings,
  format: () => opaqueStrings,
  maxLength: () => opaqueStrings,
  minLength: () => opaqueStrings,
  const: (value) => fixing(value),
  enum: (value) => (Array.isArray(value) ? (value.map(fixing).find((why) => why !== null) ?? null) : null),
  items: (value) => (Array.isArray(value) ? order : null),
  prefixItems: () => order,
}

const schemas = ['not', 'if', 'then', 'else', 'items', 'additionalItems', 'contains', 'additionalProperties']
const lists = ['allOf', 'anyOf', 'oneOf', 'items', 'prefixItems']
const maps = ['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas']

/** Every keyword in a JSON Schema, at any depth, that forbids what the specification tells clients to tolerate. */
export function intolerances(schema: unknown, path: Path = []): readonly Intolerance[] {
  if (!isObject(schema)) return []

  const here = Object.entries(schema).flatMap(([keyword, value]) => {
    const why = Object.hasOwn(intolerant, keyword) ? intolerant[keyword]?.(value) : null
    return why === null || why === undefined ? [] : [{ path: [...path, keyword], why }]
  })
  return [...here, ...Object.entries(schema).flatMap(([keyword, value]) => below(keyword, value, path))]
}

function below(keyword: string, value: unknown, path: Path): readonly Intolerance[] {
  const inner = [...path, keyword]
  if (Array.isArray(value)) {
    const members: readonly unknown[] = value
    return lists.includes(keyword)
      ? members.flatMap((member, index) => intolerances(member, [...inner, index]))
      : []
  }
  if (!isObject(value)) return []
  if (maps.includes(keyword)) {
    return Object.entries(value).flatMap(([name, member]) => intolerances(member, [...inner, name]))
  }
  return schemas.includes(keyword) ? intolerances(value, inner) : []
}

/** Numbers, truth values and null may be fixed: the specification promises change for strings, properties and order. */
function fixing(value: unknown): string | null {
  if (typeof value === 'string') return opaqueStrings
  if (Array.isArray(value)) return order

  return isObject(value) ? newProperties : null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
