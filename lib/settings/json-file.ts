import type { ErrorObject, ValidateFunction } from 'ajv'

import { isTooDeep, mostLevels } from './json-depth.ts'
import type { Mistake, Part } from './mistake.ts'
import { meant } from './nearest.ts'

/** Options of Ajv for schemas of ours, which need no check against the meta schema: that would cost 20 ms a schema at start. */
export const ownSchema = { meta: false, validateSchema: false } as const

/** A user's JSON file: the setting that named it, its path as given, and its text. */
export interface UserFile {
  readonly setting: string
  readonly file: string
  readonly text: string
}

/** A JSON file of a list, parsed and held against its schema, whose `description`s say what is expected; null where it is wrong. */
export function parseList<Entry>(
  { setting, file, text }: UserFile,
  validate: ValidateFunction<readonly Entry[]>,
): Part<readonly Entry[] | null> {
  const parsed = parseJson(text)
  if (parsed.kind === 'broken') {
    const expected = `${file}: valid JSON${parsed.where}`
    return { value: null, mistakes: [{ setting, given: file, expected, hint: null }] }
  }
  const data: unknown = parsed.data
  if (Array.isArray(data) && data.length > mostEntries) {
    const expected = `${file}: at most ${mostEntries} entries`
    return { value: null, mistakes: [{ setting, given: `${data.length} entries`, expected, hint: null }] }
  }
  if (validate(data)) return { value: data, mistakes: [] }

  const errors = validate.errors ?? []
  const mistakes = errors
    .slice(0, mostMistakes)
    // What stands inside is said by the alternative itself.
    .filter(({ schemaPath }) => !/\/anyOf\/\d/.test(schemaPath))
    .map((error) => ({ setting, ...explained(error, file) }))
  const more = {
    setting,
    given: null,
    expected: `${file}: a list without ${errors.length} mistakes`,
    hint: null,
  }
  return { value: null, mistakes: errors.length > mostMistakes ? [...mistakes, more] : mistakes }
}

/** Maximum count of entries in a list: each is compared with the others, and each endpoint is judged by every generic rule. */
const mostEntries = 1_000

/** Maximum count of mistakes that are told of one file. */
const mostMistakes = 100

/** A mistake at a place in a user's file. */
export function mistakeAt(
  { setting, file }: UserFile,
  path: readonly (string | number)[],
  { given, expected, hint }: Omit<Mistake, 'setting'>,
): Mistake {
  return { setting, given, expected: `${file}, ${placeOf(path)}: ${expected}`, hint }
}

/** A path into JSON as text: `[0].success.properties["my id"].pattern`. */
export function placeOf(path: readonly (string | number)[]): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    return /^[$A-Z_a-z][$\w]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
  })
  return steps.length === 0 ? 'the whole file' : steps.join('')
}

type Parsed =
  | { readonly kind: 'json'; readonly data: unknown }
  | { readonly kind: 'broken'; readonly where: string }

function parseJson(text: string): Parsed {
  if (isTooDeep(text)) return { kind: 'broken', where: `, nested at most ${mostLevels} levels deep` }
  try {
    return { kind: 'json', data: JSON.parse(text) }
  } catch (error) {
    // The parser's own message quotes the text, which might be any file that the setting was pointed at.
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
    return {
      kind: 'broken',
      where: position === undefined ? '' : ` (broken ${lineAt(text, Number(position))})`,
    }
  }
}

function lineAt(text: string, position: number): string {
  const lines = text.slice(0, position).split('\n')
  return `at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

function explained(error: ErrorObject, file: string): Omit<Mistake, 'setting'> {
  const path = pathOf(error.instancePath)
  const schema: unknown = error.parentSchema
  const missing: unknown = error.params['missingProperty']
  const unknown: unknown = error.params['additionalProperty']

  if (typeof missing === 'string') {
    const expected = descriptionOf(propertyOf(schema, missing))
    return { given: null, expected: `${file}, ${placeOf([...path, missing])}: ${expected}`, hint: null }
  }
  if (typeof unknown === 'string') {
    const names = Object.keys(objectOr(objectOr(schema)['properties']))
    const name = meant(unknown, names)
    return {
      given: null,
      expected: `${file}, ${placeOf([...path, unknown])}: no such property; there are ${names.join(', ')}`,
      hint: name === null ? null : `did you mean ${name}?`,
    }
  }
  const expected = `${file}, ${placeOf(path)}: ${descriptionOf(schema)}`
  return { given: JSON.stringify(error.data) ?? null, expected, hint: null }
}

function pathOf(instancePath: string): readonly (string | number)[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

function propertyOf(schema: unknown, name: string): unknown {
  return objectOr(objectOr(schema)['properties'])[name]
}

function descriptionOf(schema: unknown): string {
  const description = objectOr(schema)['description']
  return typeof description === 'string' ? description : 'another value'
}

/** The value as an object of unknown properties; empty where it is none. */
export function objectOr(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
