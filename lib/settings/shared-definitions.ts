import type { JsonObject } from '../json/json-value.ts'
import type { Described, DescribedInput } from '../specification/endpoints.ts'
import { withDefinitions } from './json-schema.ts'

/** The schemas of an entry. */
type Schemas = Partial<Pick<DescribedInput, 'query' | 'body' | 'pathParameters'>> & {
  readonly success?: object | null
}

/** Schemas that several entries refer to, as `{ "$ref": "#/definitions/Card" }`. */
export interface SharedDefinitions {
  readonly definitions: JsonObject
}

/** An entry whose schemas hold the definitions that they refer to. */
export function withSharedDefinitions<Entry extends Schemas>(
  entry: Entry,
  shared: ReadonlyMap<string, unknown>,
): Entry {
  if (shared.size === 0) return entry
  const { query, success, body, pathParameters } = entry
  const whole = <Given extends Described>(given: Given): Given => ({
    ...given,
    schema: withDefinitions(given.schema, shared),
  })
  return {
    ...entry,
    ...(query ? { query: withDefinitions(query, shared) } : {}),
    ...(success ? { success: withDefinitions(success, shared) } : {}),
    ...(body ? { body: whole(body) } : {}),
    ...(pathParameters
      ? {
          pathParameters: Object.fromEntries(
            Object.entries(pathParameters).map(([name, one]) => [name, whole(one)]),
          ),
        }
      : {}),
  }
}
