import { realpath } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { $RefParser, type FileInfo } from '@apidevtools/json-schema-ref-parser'
import { CORE_SCHEMA, load, Type, YAMLException } from 'js-yaml'

import { jsonValue, isObject, maxLevels, objectOr, type JsonObject } from '../../text/json-value.ts'
import { withinOr, workLimits, type SyncWork } from '../../specification/within.ts'
import { percentDecoded } from '../../text/percent.ts'
import { simplerSchemas } from '../json-file.ts'
import { readTextFile, sizeLimits } from '../user-file.ts'

/** A mistake in the user's OpenAPI document: where, and what is expected there. */
export class DocumentMistake extends Error {
  override readonly name = 'DocumentMistake'

  constructor(where: string, expected: string) {
    super(`${where}: expected ${expected}`)
  }
}

/** A value of a document, and its place: the file and the path in it. */
export interface Located {
  readonly value: unknown
  readonly file: string
  readonly path: readonly (string | number)[]
}

/** The member of this name of an object; undefined if it has none. */
export function memberOf({ value, ...place }: Located, name: string): Located {
  return { ...place, value: objectOr(value)[name], path: [...place.path, name] }
}

/** Maximum values in a document; the largest public ones have some 200,000. */
const maxValues = 1_000_000
/** Maximum references from one to the next. */
const longestChain = 20

/** An OpenAPI document with the files that it refers to. */
export class OpenApiDocument {
  readonly root: Located & { readonly value: JsonObject }
  readonly version: '3.0' | '3.1'
  /** Values by file. */
  readonly #files: Readonly<Record<string, unknown>>
  /** Why a file was not read. */
  readonly #unread: ReadonlyMap<string, string>

  constructor(file: string, files: Readonly<Record<string, unknown>>, unread: ReadonlyMap<string, string>) {
    const value = files[file]
    const { openapi, swagger, paths } = objectOr(value)
    const minor = /^3\.([01])(?:\.\d+)?(?:-.*)?$/.exec(String(openapi))?.[1]
    if (!isObject(value) || minor === undefined) {
      const given = swagger === undefined ? (JSON.stringify(openapi) ?? 'none') : 'Swagger, an older format'
      throw new DocumentMistake('#/openapi', `"3.0.x" or "3.1.x", a version of OpenAPI, given ${given}`)
    }
    if (!isObject(paths)) throw new DocumentMistake('#/paths', 'an object of paths')
    this.root = { value, file, path: [] }
    this.version = minor === '0' ? '3.0' : '3.1'
    this.#files = files
    this.#unread = unread
  }

  /** A place as users read it: `#/paths/~1api~1cards/get`, after the file if it is another one. */
  placeOf({ file, path }: Pick<Located, 'file' | 'path'>): string {
    const steps = path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'))
    const folder = dirname(this.root.file)
    return `${file === this.root.file ? '' : file.slice(folder.length + 1)}${['#', ...steps].join('/')}`
  }

  /** Follows references until a value is none. Throws a {@link DocumentMistake}. */
  resolve(place: Located): Located {
    let found = place
    for (let steps = 0; isObject(found.value) && typeof found.value['$ref'] === 'string'; steps += 1) {
      const where = this.placeOf({ ...found, path: [...found.path, '$ref'] })
      if (steps === longestChain) throw new DocumentMistake(where, 'a reference that ends somewhere')
      found = this.#at(found.value['$ref'], found.file, where)
    }
    return found
  }

  #at(reference: string, from: string, where: string): Located {
    const [target = '', pointer = ''] = reference.split('#', 2)
    const file = target === '' ? from : nameOf(new URL(target, pathToFileURL(from)))
    const why = this.#unread.get(file)
    const given = `given ${JSON.stringify(reference)}`
    if (why !== undefined)
      throw new DocumentMistake(
        where,
        `a reference to a file in the folder of the document, ${given}: ${why}`,
      )
    let found: Located = { value: this.#files[file], file, path: [] }
    for (const step of pointer.split('/').slice(1)) {
      const { value, path } = this.resolve(found)
      const name = (percentDecoded(step) ?? step).replaceAll('~1', '/').replaceAll('~0', '~')
      const holds = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      found = { ...found, value: holds ? Reflect.get(Object(value), name) : undefined, path: [...path, name] }
    }
    if (found.value === undefined)
      throw new DocumentMistake(where, `a reference to something in the document, ${given}`)
    return found
  }
}

/** The path of a file, or another address whole. */
function nameOf(url: URL): string {
  return url.protocol === 'file:' ? fileURLToPath(url) : url.href
}

/**
 * Reads an OpenAPI document in YAML or JSON, and the files in its folder that it refers to; nothing else is asked. Throws a
 * {@link DocumentMistake}.
 */
export async function readDocument(file: string, text: string): Promise<OpenApiDocument> {
  const folder = await realpath(dirname(file)).catch(() => dirname(file))
  const unread = new Map<string, string>()
  const read = async (address: string): Promise<string> => {
    // The parser writes a file as the path of its URL.
    const path = nameOf(new URL(address, 'file:///'))
    const real = await realpath(path).catch(() => path)
    const found = real.startsWith(`${folder}${sep}`)
      ? await readTextFile(real, sizeLimits.document)
      : ({ kind: 'unreadable', why: 'nothing outside of that folder is read' } as const)
    if (found.kind === 'text') return found.text
    unread.set(path, found.why)
    return '{}'
  }
  const parser = new $RefParser()
  const root = parsed(text, '')
  const refs = await parser.resolve(file, root, {
    resolve: { http: false, file: { order: 1, canRead: true, read: ({ url }: FileInfo) => read(url) } },
    parse: {
      json: false,
      text: false,
      binary: false,
      yaml: {
        order: 1,
        canParse: true,
        parse: ({ url, data }: FileInfo) => parsed(String(data), `${url}, `),
      },
    },
  })
  return new OpenApiDocument(file, { ...refs.values(), [file]: root }, unread)
}

/** Reads a part of the document within a time. Throws a {@link DocumentMistake} where that is not enough. */
export function readWithin<Read>(where: string, ms: number, read: SyncWork<Read>): Read {
  return withinOr(ms, read, ({ message }) => {
    throw new DocumentMistake(where, `what can be read and checked: ${message}; ${simplerSchemas}`)
  })
}

const mergeKey = new Type('tag:yaml.org,2002:merge', { kind: 'scalar', resolve: (key) => key === '<<' })
/** YAML 1.2 with merge keys. */
const yaml = { schema: CORE_SCHEMA.extend({ implicit: [mergeKey] }), maxDepth: maxLevels }

function parsed(text: string, where: string): object {
  return readWithin(`${where}the document`, workLimits.file, (): object => {
    const value = jsonValue(text) ?? parsedYaml(text, where)
    checkSize(value)
    return Object(value)
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

/** Aliases of YAML may make a small text large, or an object that holds itself: counted one by one, none is kept. */
function checkSize(root: unknown): void {
  let values = 0
  const count = (value: unknown, depth: number): void => {
    values += 1
    if (depth > maxLevels) throw new DocumentMistake('#', `at most ${maxLevels} levels`)
    if (values > maxValues) throw new DocumentMistake('#', `at most ${maxValues} values`)
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) count(inner, depth + 1)
  }
  count(root, 0)
}
