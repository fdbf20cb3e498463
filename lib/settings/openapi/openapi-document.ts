import { LineCounter, parseDocument } from 'yaml'
import { percentDecoded } from '../../text/percent.ts'
import { errorText } from '../../text/printable.ts'
import { within, WorkStopped, type SyncWork } from '../../specification/within.ts'
import { isObject, jsonValue, maxLevels, objectOr, type JsonObject } from '../../json/json-value.ts'
import { simplerSchemas } from '../json-file.ts'

/** A mistake in the user's OpenAPI document: where, and what is expected there. */
export class DocumentMistake extends Error {
  override readonly name = 'DocumentMistake'

  constructor(where: string, expected: string) {
    super(`${where}: expected ${expected}`)
  }
}

/** A path as a JSON pointer in a fragment: `#/paths/~1api~1cards/get`. */
export function pointerOf(path: readonly (string | number)[]): string {
  return ['#', ...path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')
}

/** Maximum values in a document; the largest public ones have some 200,000. */
const maxValues = 1_000_000

/** Reads YAML or JSON as an OpenAPI document. Throws a {@link DocumentMistake}. */
export function readDocument(text: string): OpenApiDocument {
  const value = jsonValue(text)
  const root = value === undefined ? parsedYaml(text) : value
  const { openapi, swagger, paths } = objectOr(root)
  const version = /^3\.(?<minor>[01])(?:\.\d+)?(?:-.*)?$/.exec(String(openapi))?.groups?.['minor']
  if (!isObject(root) || version === undefined) {
    const given = swagger === undefined ? (JSON.stringify(openapi) ?? 'none') : 'Swagger, an older format'
    throw new DocumentMistake('#/openapi', `"3.0.x" or "3.1.x", a version of OpenAPI, given ${given}`)
  }
  if (!isObject(paths)) throw new DocumentMistake('#/paths', 'an object of paths')
  checkSize(root)
  return new OpenApiDocument(root, version === '0' ? '3.0' : '3.1')
}

/** Maximum lists and objects that YAML opens within each other, counted roughly: prose holds brackets, too. */
const mostOpen = 2_000

/** Whether a text opens far more than it closes; the parser of YAML would take gigabytes before it gave up. */
function opensTooMany(text: string): boolean {
  let open = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '[' || character === '{') open += 1
    else if ((character === ']' || character === '}') && open > 0) open -= 1
    if (open > mostOpen) return true
  }
  return /(?:- ){201}/.test(text)
}

function parsedYaml(text: string): unknown {
  if (opensTooMany(text))
    throw new DocumentMistake('the document', `YAML or JSON of at most ${maxLevels} levels`)
  const lines = new LineCounter()
  const mistake = (offset: number, why: string): DocumentMistake => {
    const { line, col } = lines.linePos(offset)
    return new DocumentMistake(`line ${line}, column ${col}`, `YAML or JSON: ${why}`)
  }
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' })
    const [error] = document.errors
    if (error !== undefined)
      throw mistake(error.pos[0], error.message.replace(/^Maximum call.*/, 'it is nested too deep'))
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    if (error instanceof DocumentMistake || error instanceof RangeError) throw error
    throw new DocumentMistake('the document', `YAML or JSON: ${errorText(error)}`)
  }
}

/** Aliases of YAML may make a small text large, or an object that holds itself: counted one by one, none is kept. */
function checkSize(root: JsonObject): void {
  let values = 0
  const count = (value: unknown, depth: number): void => {
    values += 1
    if (depth > maxLevels) throw new DocumentMistake('#', `at most ${maxLevels} levels`)
    if (values > maxValues) throw new DocumentMistake('#', `at most ${maxValues} values`)
    if (typeof value !== 'object' || value === null) return
    for (const inner of Object.values(value)) count(inner, depth + 1)
  }
  count(root, 0)
}

/** Reads a part of the document within a time. Throws a {@link DocumentMistake} where that is not enough. */
export function readWithin<Read>(where: string, ms: number, read: SyncWork<Read>): Read {
  try {
    return within(ms, read)
  } catch (error) {
    if (!(error instanceof WorkStopped)) throw error
    throw new DocumentMistake(
      where,
      `what can be read and checked: ${error.message}; ${simplerSchemas}; long YAML is read faster as JSON`,
    )
  }
}

/** A value of the document, and its path. */
export interface Located {
  readonly value: unknown
  readonly path: readonly (string | number)[]
}

/** The member of this name of an object; undefined if it has none. */
export function memberOf({ value, path }: Located, name: string): Located {
  return { value: objectOr(value)[name], path: [...path, name] }
}

/** Maximum references from one to the next. */
const longestChain = 20

/** An OpenAPI document. Nothing outside of it is ever read. */
export class OpenApiDocument {
  readonly root: JsonObject
  readonly version: '3.0' | '3.1'

  constructor(root: JsonObject, version: '3.0' | '3.1') {
    this.root = root
    this.version = version
  }

  /** Follows references until a value is none. Throws a {@link DocumentMistake}. */
  resolve(place: Located): Located {
    let found = place
    for (let steps = 0; isObject(found.value) && typeof found.value['$ref'] === 'string'; steps += 1) {
      const where = pointerOf([...found.path, '$ref'])
      if (steps === longestChain) throw new DocumentMistake(where, 'a reference that ends somewhere')
      found = this.#at(found.value['$ref'], where)
    }
    return found
  }

  /** Throws a {@link DocumentMistake} for a reference that leads out of the document, or nowhere. */
  #at(reference: string, where: string): Located {
    const given = JSON.stringify(reference)
    if (!reference.startsWith('#')) {
      const expected = `a reference within the document, as "#/components/schemas/Card", given ${given}; nothing else is read, so bundle the documents into one`
      throw new DocumentMistake(where, expected)
    }
    const path = reference
      .slice(1)
      .split('/')
      .slice(1)
      .map((step) => (percentDecoded(step) ?? step).replaceAll('~1', '/').replaceAll('~0', '~'))
    let value: unknown = this.root
    for (const step of path) {
      const holds = typeof value === 'object' && value !== null && Object.hasOwn(value, step)
      value = holds ? Reflect.get(Object(value), step) : undefined
    }
    if (value === undefined || path.length === 0)
      throw new DocumentMistake(where, `a reference to something in the document, given ${given}`)
    return { value, path }
  }
}
