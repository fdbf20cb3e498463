import { realpath } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { CORE_SCHEMA, load, Type, YAMLException } from 'js-yaml'
import { withinOr, workLimits, type SyncWork } from '../../specification/within.ts'
import { isObject, isTooDeep, jsonValue, maxLevels, objectOr } from '../../text/json-value.ts'
import { percentDecoded } from '../../text/percent.ts'
import { urlOf } from '../../text/url.ts'
import { simplerSchemas, stepsOf } from '../json-file.ts'
import { readTextFile, sizeLimits } from '../user-file.ts'

/** A mistake in the user's OpenAPI document. */
export class DocumentMistake extends Error {}

/** Maximum number of values in a file; the largest public documents have about 200,000. */
const maxValues = 1_000_000

/** The address that each reference names. Data, such as an example, keeps its `$ref` as written. */
const addresses = new WeakMap<object, string>()

/** An OpenAPI document with the files that it refers to. */
export type OpenApiDocument = Awaited<ReturnType<typeof readDocument>>

/** The address that a reference names; null for any other value. */
export function addressOf(value: unknown) {
  return isObject(value) ? (addresses.get(value) ?? null) : null
}

/**
 * Reads an OpenAPI document in YAML or JSON, along with the files in its folder that it refers to, but nothing else. Throws a {@link
 * DocumentMistake}.
 */
export async function readDocument(file: string, text: string) {
  const { href } = pathToFileURL(file)
  const folder = await realpath(dirname(file)).catch(() => dirname(file))
  /** Values by address, and a mistake for each file that was not read. */
  const files = new Map<string, unknown>()
  const named = new Set([href])
  const root = objectOr(parsed(text, href, named))
  // Reading a file may name further files.
  for (const url of named)
    try {
      files.set(url, url === href ? root : parsed(await textOf(url, folder), url, named))
    } catch (error) {
      // It is a mistake only if a chosen operation refers to the file.
      if (!(error instanceof DocumentMistake)) throw error
      files.set(url, error)
    }
  const { openapi, swagger } = root
  const minor = /^3\.([01])(?:\.|$)/.exec(String(openapi))?.[1]
  if (minor === undefined)
    throw new DocumentMistake(`expected OpenAPI 3.0 or 3.1, given ${JSON.stringify(openapi ?? swagger)}`)

  /** Follows references to a value that is not a reference. Throws a {@link DocumentMistake}. */
  const resolve = (value: unknown): unknown => {
    const address = addressOf(value)
    return address === null ? value : resolve(target(address))
  }
  /** The value at an address, which may be a reference. Throws a {@link DocumentMistake}. */
  const target = (reference: string): unknown => {
    const mistake = (expected: string) =>
      new DocumentMistake(`the reference ${reference}: expected ${expected}`)
    const [name = '', pointer = ''] = reference.split('#', 2)
    let found = files.get(name)
    if (found instanceof DocumentMistake)
      throw mistake(`a file in the folder of the document: ${found.message}`)
    for (const step of stepsOf(percentDecoded(pointer) ?? pointer)) {
      const value = Object(resolve(found))
      found = Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined
    }
    if (found === undefined) throw mistake('something in the document')
    return found
  }
  return {
    root,
    is30: minor === '0',
    resolve,
    target,
  }
}

async function textOf(url: string, folder: string) {
  const path = /^file:\/\/\/(?!.*%2f)/i.test(url) ? fileURLToPath(url) : ''
  const real = await realpath(path).catch(() => path)
  if (!real.startsWith(`${folder}${sep}`)) throw new DocumentMistake('files outside that folder are not read')
  const { text, why } = await readTextFile(real, sizeLimits.document)
  if (text === null) throw new DocumentMistake(why)
  return text
}

/** Does work on a document within a limit of processor time. Throws a {@link DocumentMistake} if the limit is exceeded. */
export function withinLimit<Result>(work: SyncWork<Result>): Result {
  return withinOr(workLimits.file, work, ({ message }) => {
    throw new DocumentMistake(
      `expected a document that can be read and checked: ${message}; ${simplerSchemas}`,
    )
  })
}

/** The value of a file. Adds the files that it refers to. Counts its values, because YAML aliases can make a small text huge or endless. */
function parsed(text: string, url: string, files: Set<string>) {
  let values = 0
  const counted = (_: string, value: unknown): unknown => {
    values += 1
    if (values > maxValues) throw new DocumentMistake(`expected at most ${maxValues} values`)
    // A copy, so that an object in itself nests endlessly, like any other value that is too deep.
    if (Array.isArray(value)) return Array.from<unknown>(value)
    return isObject(value) ? { ...value } : value
  }
  const noted = (_: string, value: unknown) => {
    if (isObject(value) && typeof value['$ref'] === 'string') {
      const reference = value['$ref']
      const found = percentDecoded(reference) === null ? null : urlOf(reference, url)
      const address = found?.href ?? `invalid:${encodeURIComponent(reference)}`
      addresses.set(value, address)
      files.add(address.replace(/#.*/s, ''))
    }
    return value
  }
  return withinLimit((): unknown => {
    const copy = JSON.stringify(jsonValue(text) ?? yamlValue(text) ?? null, counted)
    if (isTooDeep(copy)) throw new DocumentMistake(`expected at most ${maxLevels} levels`)
    return JSON.parse(copy, noted)
  })
}

const mergeKey = new Type('tag:yaml.org,2002:merge', { kind: 'scalar', resolve: (key) => key === '<<' })
/** YAML 1.2 with merge keys. */
const yaml = { schema: CORE_SCHEMA.extend({ implicit: [mergeKey] }), maxDepth: maxLevels }

function yamlValue(text: string) {
  try {
    return load(text, yaml)
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { line, column } = error.mark
    throw new DocumentMistake(
      `line ${line + 1}, column ${column + 1}: expected YAML or JSON: ${error.reason}`,
    )
  }
}
