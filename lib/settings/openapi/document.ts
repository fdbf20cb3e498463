import { realpath } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { $RefParser, type FileInfo } from '@apidevtools/json-schema-ref-parser'
import { CORE_SCHEMA, load, Type, YAMLException } from 'js-yaml'
import { withinOr, workLimits, type SyncWork } from '../../specification/within.ts'
import { jsonValue, isObject, maxLevels, objectOr, type JsonObject } from '../../text/json-value.ts'
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

/** Values by file, the places of their objects and lists, and the reasons why files were not read. */
interface Files {
  readonly file: string
  readonly values: Readonly<Record<string, unknown>>
  readonly places: ReadonlyMap<object, Place>
  readonly unread: ReadonlyMap<string, string>
}

/** A file and a JSON Pointer into it. */
interface Place {
  readonly file: string
  readonly pointer: string
}

/** Maximum number of values in a document; the largest public documents have about 200,000. */
const maxValues = 1_000_000
/** Maximum length of a chain of references. */
const longestChain = 20

/** An OpenAPI document with the files that it refers to. */
export class OpenApiDocument {
  readonly root: JsonObject
  readonly version: '3.0' | '3.1'
  readonly #files: Files

  constructor(files: Files) {
    const value = files.values[files.file]
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

  /** The place of an object or list. */
  locate(value: object): Place {
    return this.#files.places.get(value) ?? { file: this.#files.file, pointer: '' }
  }

  /** A place as shown to users, such as `#/paths/~1api~1cards/get`, preceded by the file name if it is in another file. */
  placeOf(value: object, step?: string): string {
    const { file, pointer } = this.locate(value)
    const folder = dirname(this.#files.file)
    const shown = file === this.#files.file ? '' : file.slice(folder.length + 1)
    return `${shown}#${pointer}${step === undefined ? '' : `/${step}`}`
  }

  /** Follows references to a value that is not a reference. Throws a {@link DocumentMistake}. */
  resolve(value: unknown): unknown {
    let found = value
    for (let steps = 0; isObject(found) && typeof found['$ref'] === 'string'; steps += 1) {
      const where = this.placeOf(found, '$ref')
      if (steps === longestChain) throw new DocumentMistake(where, 'a reference that ends somewhere')
      found = this.#target(found['$ref'], this.locate(found).file, where)
    }
    return found
  }

  #target(reference: string, from: string, where: string): unknown {
    const [target = '', pointer = ''] = reference.split('#', 2)
    const file = target === '' ? from : nameOf(new URL(target, pathToFileURL(from)))
    const why = this.#files.unread.get(file)
    const given = `given ${JSON.stringify(reference)}`
    if (why !== undefined)
      throw new DocumentMistake(
        where,
        `a reference to a file in the folder of the document, ${given}: ${why}`,
      )
    let found = this.#files.values[file]
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

/** Returns the path of a file, and any other address unchanged. */
function nameOf(url: URL): string {
  return url.protocol === 'file:' ? fileURLToPath(url) : url.href
}

const outside = { text: null, why: 'files outside that folder are not read' }

/**
 * Reads an OpenAPI document in YAML or JSON, along with the files in its folder that it refers to, but nothing else. Throws a {@link
 * DocumentMistake}.
 */
export async function readDocument(file: string, text: string): Promise<OpenApiDocument> {
  const folder = await realpath(dirname(file)).catch(() => dirname(file))
  const unread = new Map<string, string>()
  const places = new Map<object, Place>()
  const read = async (address: string): Promise<string> => {
    // The parser represents a file by the path of its URL.
    const path = nameOf(new URL(address, 'file:///'))
    const real = await realpath(path).catch(() => path)
    const isInside = real.startsWith(`${folder}${sep}`)
    const { text: found, why } = isInside ? await readTextFile(real, sizeLimits.document) : outside
    if (why !== null) unread.set(path, why)
    return found ?? '{}'
  }
  const parser = new $RefParser()
  const root = parsed(text, '', (value) => notePlaces(value, file, places))
  const refs = await parser.resolve(file, root, {
    resolve: { http: false, file: { order: 1, canRead: true, read: ({ url }: FileInfo) => read(url) } },
    parse: {
      json: false,
      text: false,
      binary: false,
      yaml: {
        order: 1,
        canParse: true,
        parse: ({ url, data }: FileInfo) =>
          parsed(String(data), `${url}, `, (value) =>
            notePlaces(value, nameOf(new URL(url, 'file:///')), places),
          ),
      },
    },
  })
  return new OpenApiDocument({ file, values: { ...refs.values(), [file]: root }, places, unread })
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

function parsed(text: string, where: string, note: (value: object) => void): object {
  return readWithin(`${where}the document`, workLimits.file, (): object => {
    const value = Object(jsonValue(text) ?? parsedYaml(text, where))
    note(value)
    return value
  })
}

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
 * Records the place of each object and list in a file. Counts the values, because YAML aliases can make a small text huge, or make an
 * object contain itself.
 */
function notePlaces(root: object, file: string, places: Map<object, Place>): void {
  let values = 0
  const note = (value: unknown, pointer: string, depth: number): void => {
    values += 1
    if (depth > maxLevels) throw new DocumentMistake('#', `at most ${maxLevels} levels`)
    if (values > maxValues) throw new DocumentMistake('#', `at most ${maxValues} values`)
    if (typeof value !== 'object' || value === null) return
    if (!places.has(value)) places.set(value, { file, pointer })
    for (const [step, inner] of Object.entries(value))
      note(inner, `${pointer}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1)
  }
  note(root, '', 0)
}
