import { realpath } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { CORE_SCHEMA, load, Type, YAMLException } from 'js-yaml'

import { jsonValue, isObject, maxLevels, objectOr, type JsonObject } from '../../text/json-value.ts'
import { withinOr, workLimits, type SyncWork } from '../../specification/within.ts'
import { percentDecoded } from '../../text/percent.ts'
import { simplerSchemas, stepsOf } from '../json-file.ts'
import { readTextFile, sizeLimits } from '../user-file.ts'

/** A mistake in the user's OpenAPI document, with its place and what is expected there. */
export class DocumentMistake extends Error {
  override readonly name = 'DocumentMistake'

  constructor(where: string, expected: string) {
    super(`${where}: expected ${expected}`)
  }
}

/** Maximum number of values in a document; the largest public documents have about 200,000. */
const maxValues = 1_000_000
/** Maximum length of a chain of references. */
const longestChain = 20

/** The files of a document, each by its URL. */
interface Files {
  /** The URL of the document itself. */
  readonly document: string
  readonly values: Map<string, unknown>
  /** The URL of each object and list, with its JSON Pointer as the fragment. */
  readonly places: Map<object, string>
  readonly unread: Map<string, string>
}

/** An OpenAPI document with the files that it refers to. */
export class OpenApiDocument {
  readonly root: JsonObject
  readonly version: '3.0' | '3.1'
  readonly #files: Files

  constructor(files: Files) {
    const value = files.values.get(files.document)
    const { openapi, swagger, paths } = objectOr(value)
    const minor = /^3\.([01])(?:\.\d+)?(?:-.*)?$/.exec(String(openapi))?.[1]
    if (!isObject(value) || minor === undefined) {
      const given = swagger === undefined ? (JSON.stringify(openapi) ?? 'none') : 'Swagger, an older format'
      throw new DocumentMistake('#/openapi', `"3.0.x" or "3.1.x", a version of OpenAPI, given ${given}`)
    }
    if (!isObject(paths)) throw new DocumentMistake('#/paths', 'an object of paths')
    this.root = value
    this.version = minor === '0' ? '3.0' : '3.1'
    this.#files = files
  }

  /** A place as shown to users, such as `#/paths/~1api~1cards/get`, preceded by the file name if it is in another file. */
  placeOf(value: object, step?: string): string {
    const { document, places } = this.#files
    const place = places.get(value) ?? `${document}#`
    const shown = place.startsWith(`${document}#`) ? place.slice(document.length) : shownUrl(place, document)
    return step === undefined ? shown : `${shown}/${step}`
  }

  /** Follows references to a value that is not a reference. Throws a {@link DocumentMistake}. */
  resolve(value: unknown): unknown {
    let found = value
    for (let steps = 0; isObject(found) && typeof found['$ref'] === 'string'; steps += 1) {
      if (steps === longestChain)
        throw new DocumentMistake(this.placeOf(found, '$ref'), 'a reference that ends somewhere')
      found = this.#target(found, found['$ref'])
    }
    return found
  }

  #target(from: JsonObject, reference: string): unknown {
    const { document, values, places, unread } = this.#files
    const file = fileOf(reference, places.get(from) ?? document)
    const [where, given] = [this.placeOf(from, '$ref'), `given ${JSON.stringify(reference)}`]
    const why = unread.get(file)
    if (why !== undefined)
      throw new DocumentMistake(
        where,
        `a reference to a file in the folder of the document, ${given}: ${why}`,
      )
    const [, pointer = ''] = reference.split('#', 2)
    let found = values.get(file)
    for (const step of stepsOf(percentDecoded(pointer) ?? pointer)) {
      const value: unknown = this.resolve(found)
      const holds = typeof value === 'object' && value !== null && Object.hasOwn(value, step)
      found = holds ? Reflect.get(value, step) : undefined
    }
    if (found === undefined)
      throw new DocumentMistake(where, `a reference to something in the document, ${given}`)
    return found
  }
}

/** The URL of the file that a reference in another file names. */
function fileOf(reference: string, from: string): string {
  const [file = ''] = (URL.canParse(reference, from) ? new URL(reference, from).href : reference).split('#')
  return file
}

/** The path of a file, and any other address unchanged. */
function pathOf(url: string): string {
  try {
    return fileURLToPath(url)
  } catch {
    return url
  }
}

/** The name of a file as shown to users, relative to the folder of the document. */
function shownUrl(url: string, document: string): string {
  const name = url.slice(new URL('.', document).href.length)
  return percentDecoded(name) ?? name
}

const outside = { text: null, why: 'files outside that folder are not read' } as const

/**
 * Reads an OpenAPI document in YAML or JSON, along with the files in its folder that it refers to, but nothing else. Throws a {@link
 * DocumentMistake}.
 */
export async function readDocument(file: string, text: string): Promise<OpenApiDocument> {
  const folder = await realpath(dirname(file)).catch(() => dirname(file))
  const document = pathToFileURL(file).href
  const read = async (url: string): ReturnType<typeof readTextFile> => {
    const path = pathOf(url)
    const real = await realpath(path).catch(() => path)
    return real.startsWith(`${folder}${sep}`) ? readTextFile(real, sizeLimits.document) : outside
  }
  const files: Files = { document, values: new Map(), places: new Map(), unread: new Map() }
  const wanted = new Set([document])
  // Grows while it is read.
  for (const url of wanted) {
    const { text: found, why } = url === document ? { text, why: null } : await read(url)
    if (found === null) {
      files.unread.set(url, why)
      continue
    }
    const where = url === document ? '' : `${shownUrl(url, document)}, `
    readWithin(`${where}the document`, workLimits.file, () => {
      const value = Object(jsonValue(found) ?? parsedYaml(found, where))
      files.values.set(url, value)
      for (const reference of notePlaces(value, url, files.places)) wanted.add(fileOf(reference, url))
    })
  }
  return new OpenApiDocument(files)
}

/** Reads a part of the document within a time limit. Throws a {@link DocumentMistake} if the limit is exceeded. */
export function readWithin<Read>(where: string, ms: number, read: SyncWork<Read>): Read {
  return withinOr(ms, read, ({ message }) => {
    throw new DocumentMistake(where, `a document that can be read and checked: ${message}; ${simplerSchemas}`)
  })
}

const mergeKey = new Type('tag:yaml.org,2002:merge', { kind: 'scalar', resolve: (key) => key === '<<' })
/** YAML 1.2 with merge keys. */
const yaml = { schema: CORE_SCHEMA.extend({ implicit: [mergeKey] }), maxDepth: maxLevels }

function parsedYaml(text: string, where: string): unknown {
  try {
    return load(text, yaml)
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { line, column } = error.mark
    throw new DocumentMistake(
      `${where}line ${line + 1}, column ${column + 1}`,
      `YAML or JSON: ${error.reason}`,
    )
  }
}

/**
 * Records the place of each object and list in a file, and returns all references. Counts the values, because YAML aliases can make a small
 * text huge, or make an object contain itself.
 */
function notePlaces(root: object, file: string, places: Map<object, string>): readonly string[] {
  const references: string[] = []
  let values = 0
  const note = (value: unknown, pointer: string, depth: number): void => {
    values += 1
    if (depth > maxLevels) throw new DocumentMistake('#', `at most ${maxLevels} levels`)
    if (values > maxValues) throw new DocumentMistake('#', `at most ${maxValues} values`)
    if (typeof value !== 'object' || value === null) return
    if (!places.has(value)) places.set(value, `${file}#${pointer}`)
    if ('$ref' in value && typeof value.$ref === 'string') references.push(value.$ref)
    for (const [step, inner] of Object.entries(value))
      note(inner, `${pointer}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1)
  }
  note(root, '', 0)
  return references
}
