import { whyIntolerant } from '../intolerances.ts'
import { isJsonObject, objectOr, type JsonObject } from './document.ts'
import type { ConvertedSchema, Note } from './schema.ts'

const doubtful = 'a tolerated change may turn its outcome round'

/** Takes out of a success schema (draft-07) what forbids the changes that clients must tolerate, and says what. */
export function relaxSchema(schema: JsonObject, at = ''): ConvertedSchema {
  const notes: Note[] = []
  const relaxed: Record<string, unknown> = {}
  const note = (keyword: string, why: string): void =>
    void notes.push({ at: `${at}/${keyword}`, what: 'relaxed', why })
  const below = (inner: unknown, place: string): unknown => {
    if (!isJsonObject(inner)) return inner
    const found = relaxSchema(inner, place)
    notes.push(...found.notes)
    return found.schema
  }

  for (const [keyword, value] of Object.entries(schema)) {
    const why = whyIntolerant(keyword, value)
    if (why !== null) {
      note(keyword, why)
      if (isFixedText(keyword, value) && schema['type'] === undefined) relaxed['type'] = 'string'
    } else if (turning.includes(keyword)) {
      if (keyword === 'not' || keyword === 'if') note(keyword, doubtful)
    } else if (keyword === 'oneOf' && Array.isArray(value)) {
      // Relaxed, or with new properties, a value may fit several.
      note(keyword, 'several may fit once properties are added, so it becomes anyOf')
      const any = value.map((inner, index) => below(inner, `${at}/anyOf/${index}`))
      if (schema['anyOf'] === undefined) relaxed['anyOf'] = any
      else relaxed['allOf'] = [...listOf(relaxed['allOf']), { anyOf: any }]
    } else if (named.includes(keyword)) {
      relaxed[keyword] = Object.fromEntries(
        Object.entries(objectOr(value)).map(([name, inner]) => [
          name,
          below(inner, `${at}/${keyword}/${name}`),
        ]),
      )
    } else if (keyword === 'allOf') {
      const all = listOf(value).map((inner, index) => below(inner, `${at}/allOf/${index}`))
      relaxed['allOf'] = [...listOf(relaxed['allOf']), ...all]
    } else if (keyword === 'anyOf') {
      relaxed[keyword] = listOf(value).map((inner, index) => below(inner, `${at}/anyOf/${index}`))
    } else relaxed[keyword] = plain.includes(keyword) ? value : below(value, `${at}/${keyword}`)
  }
  return { schema: relaxed, notes }
}

const turning = ['not', 'if', 'then', 'else']
const named = ['properties', 'definitions', 'dependencies']
const plain = ['enum', 'const', 'default', 'required', 'type']

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isFixedText(keyword: string, value: unknown): boolean {
  if (keyword === 'const') return typeof value === 'string'
  return keyword === 'enum' && Array.isArray(value) && value.every((one) => typeof one === 'string')
}
