import { resolve } from 'node:path'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { MachineTooBusy, withinOr, workLimits } from '../specification/within.ts'
import { isTooDeep, jsonValue, maxLevels, objectOr, skimJson } from '../text/json.ts'
import { exposed, type CredentialSearch } from './hide-secrets.ts'
import { hintFrom, issue, parsed, type IssueText, type Parsed } from './issue.ts'
import { readTextFile, sizeLimits } from './user-file.ts'

/** A user's JSON file, with its setting, its path as given, and its text, which may contain no credential. */
export type UserFile = Readonly<{
  setting: string
  file: string
  text: string
  search?: CredentialSearch | undefined
}>

/** A path into JSON. */
export type JsonPath = readonly (string | number)[]

/** A mistake at a place in JSON. */
export type PlacedMistake = IssueText & { readonly at: JsonPath }

/** Reads and parses a setting's JSON file within a time limit; returns an empty list if there is no file. `load` returns the parser. */
export async function readList<Entry>(
  setting: string,
  file: string | undefined,
  { cwd, search }: Readonly<{ cwd: string; search?: CredentialSearch }>,
  load: () => Promise<(source: UserFile) => Parsed<readonly Entry[]>>,
): Promise<Parsed<readonly Entry[]>> {
  if (file === undefined) return parsed([])
  const { text, why } = await readTextFile(resolve(cwd, file), sizeLimits.list)
  if (text !== null) {
    const parse = await load()
    const read = () => parse({ setting, file, text, search })
    try {
      return withinOr(workLimits.file, read, ({ message }) => {
        const expected = `${file}: a list that can be read and checked: ${message}`
        return parsed([], issue(setting, { given: file, expected, hint: simplerSchemas }))
      })
    } catch (error) {
      // Names the setting, because the file name might contain a credential.
      throw error instanceof MachineTooBusy ? error.to(`read the file of ${setting}`) : error
    }
  }

  const given = `${file} (${why})`
  const expected = 'a readable JSON file (UTF-8)'
  const hint = 'paths are relative to the working folder'
  return parsed([], issue(setting, { given, expected, hint }))
}

/** Hint for a file that takes too long. */
export const simplerSchemas =
  'look for nested repetitions in patterns, for uniqueItems, and for schemas that refer to each other; or split the file'

/**
 * Parses a JSON list against its schema, whose `description`s become the expectations, then by `read`, unless the list does not match.
 * Reports show the list, so no text in it may contain a credential.
 */
export function parseList<Entry, Value>(
  { setting, file, text, search = () => null }: UserFile,
  validate: ValidateFunction<readonly Entry[]>,
  read: (entries: readonly Entry[]) => { value: readonly Value[]; mistakes: readonly PlacedMistake[] },
): Parsed<readonly Value[]> {
  const wrong = (given: string, expected: string) =>
    issue(setting, { given, expected: `${file}: ${expected}` })
  const placed = ({ at, ...about }: PlacedMistake) =>
    issue(setting, { ...about, expected: `${file}, ${placeOf(at)}: ${about.expected}` })
  const data = isTooDeep(text) ? undefined : jsonValue(text)
  if (data === undefined) return parsed([], wrong(file, `valid JSON${whyBroken(text)}`))
  if (Array.isArray(data) && data.length > maxEntries)
    return parsed([], wrong(`${data.length} entries`, `at most ${maxEntries} entries`))
  if (validate(data)) {
    // A single search covers all texts, because there may be thousands.
    const texts = search(JSON.stringify(data)) === null ? [] : textsIn(data, [])
    const leaks = texts.flatMap(({ at, text: one }) =>
      exposed(search, '', one).map((leak) => ({ ...leak, at })),
    )
    const { value, mistakes } = read(data)
    return parsed(value, ...[...leaks, ...mistakes].map(placed))
  }

  // The branch chosen by a condition reports what is wrong.
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if')
  // The mistakes inside an alternative are covered by the error for the alternative itself.
  const shown = errors.slice(0, maxIssues).filter(({ schemaPath }) => !/\/anyOf\/\d/.test(schemaPath))
  const more = wrong(`${errors.length} mistakes`, 'a list without mistakes')
  const issues = shown.map((error) => placed(mistakeOf(error)))
  return parsed([], ...issues, ...(errors.length > maxIssues ? [more] : []))
}

/** Every text in JSON, with its place. */
function textsIn(value: unknown, at: JsonPath): readonly Readonly<{ at: JsonPath; text: string }>[] {
  if (typeof value === 'string') return [{ at, text: value }]
  if (typeof value !== 'object' || value === null) return []
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return members.flatMap(([step, member]) => textsIn(member, [...at, step]))
}

/** Maximum number of entries in a list. Entries are compared with each other, and every generic rule judges each endpoint. */
export const maxEntries = 2_000

/** Maximum number of issues reported for one file. */
const maxIssues = 100

/** A path into JSON as text, such as `[0].success.properties["my id"].pattern`. */
function placeOf(path: JsonPath) {
  const steps = path.map((step) =>
    /^[$A-Z_a-z][$\w]*$/.test(String(step)) ? `.${step}` : `[${JSON.stringify(step)}]`,
  )
  return steps.join('') || 'the whole file'
}

/** Why a text is not JSON. The parser's own message would quote the text, which might come from any file. */
function whyBroken(text: string) {
  const outline = skimJson(text)
  if (outline.kind !== 'not-json') return `, nested at most ${maxLevels} levels deep`
  const lines = text.slice(0, outline.at).split('\n')
  return ` (broken at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`
}

/** The mistake that Ajv found, with the description from its schema or the name that was probably meant. */
function mistakeOf({ instancePath, parentSchema, params, data }: ErrorObject): PlacedMistake {
  const at = stepsOf(instancePath).map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  const properties = objectOr(objectOr(parentSchema)['properties'])
  const { missingProperty: missing, additionalProperty: unknown }: Readonly<Record<string, unknown>> = params
  if (typeof missing === 'string')
    return { at: [...at, missing], expected: descriptionOf(properties[missing]) }
  if (typeof unknown !== 'string')
    return { at, given: JSON.stringify(data) ?? null, expected: descriptionOf(parentSchema) }
  const names = Object.keys(properties)
  const expected = `no such property; known properties: ${names.join(', ')}`
  return { at: [...at, unknown], expected, hint: hintFrom(names, unknown) }
}

/** The steps of a JSON Pointer. */
export function stepsOf(pointer: string) {
  const steps = pointer.split('/').slice(1)
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The description of a schema. */
function descriptionOf(schema: unknown) {
  const { description } = objectOr(schema)
  return typeof description === 'string' ? description : 'another value'
}
