import { resolve } from 'node:path'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { isTooDeep, jsonValue, maxLevels, objectOr } from '../json/json-value.ts'
import { skimJson } from '../json/skim-json.ts'
import { MachineTooBusy, within, workLimits, WorkStopped } from '../specification/within.ts'
import { didYouMean, issue, parsed, type Parsed, type SettingIssue } from './issue.ts'
import { meant } from '../text/nearest.ts'
import { readTextFile, sizeLimits } from './user-file.ts'

/** A user's JSON file: its setting, its path as given, its text. */
export interface UserFile {
  readonly setting: string
  readonly file: string
  readonly text: string
}

/** A path into JSON. */
export type JsonPath = readonly (string | number)[]

/** Reads and parses the JSON file that a setting names, within a time; an empty list if it names none. `load` gives the parser. */
export async function readList<Entry>(
  named: { readonly setting: string; readonly file: string | undefined; readonly cwd: string },
  load: () => Promise<(source: UserFile) => Parsed<readonly Entry[]>>,
): Promise<Parsed<readonly Entry[]>> {
  const { setting, file, cwd } = named
  if (file === undefined) return parsed([])
  const read = await readTextFile(resolve(cwd, file), sizeLimits.list)
  if (read.kind === 'text') {
    const { text } = read
    const parse = await load()
    try {
      return within(workLimits.file, () => parse({ setting, file, text }))
    } catch (error) {
      // The setting rather than its file, whose name might hold a credential.
      if (error instanceof MachineTooBusy) throw error.to(`read the file of ${setting}`)
      if (!(error instanceof WorkStopped)) throw error
      const expected = `${file}: a list that can be read and checked: ${error.message}`
      return parsed([], issue(setting, { given: file, expected, hint: simplerSchemas }))
    }
  }

  const given = `${file} (${read.why})`
  const expected = 'a readable JSON file (UTF-8)'
  const hint = 'relative paths count from the working folder'
  return parsed([], issue(setting, { given, expected, hint }))
}

/** Hint for a document or file that takes too long. */
export const simplerSchemas =
  'look for a pattern with a repetition within a repetition, for uniqueItems, and for schemas that refer to each other; or split it'

/** Parses a JSON list by its schema, whose `description`s say what is expected; null if it is wrong. */
export function parseList<Entry>(
  { setting, file, text }: UserFile,
  validate: ValidateFunction<readonly Entry[]>,
): Parsed<readonly Entry[] | null> {
  const { data, broken } = parseJson(text)
  if (broken !== undefined) {
    return parsed(null, issue(setting, { given: file, expected: `${file}: valid JSON${broken}` }))
  }
  if (Array.isArray(data) && data.length > maxEntries) {
    const expected = `${file}: at most ${maxEntries} entries`
    return parsed(null, issue(setting, { given: `${data.length} entries`, expected }))
  }
  if (validate(data)) return parsed(data)

  // The branch that a condition chose reports what is wrong.
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if')
  const issues = errors
    .slice(0, maxIssues)
    // The alternative itself reports what is inside.
    .filter(({ schemaPath }) => !/\/anyOf\/\d/.test(schemaPath))
    .map((error) => issueOf(error, { setting, file, text }))
  const more = issue(setting, { given: `${errors.length} mistakes`, expected: `${file}: a list without any` })
  return { value: null, issues: errors.length > maxIssues ? [...issues, more] : issues }
}

/** Maximum entries in a list: each is compared with the others, and every generic rule judges each endpoint. */
export const maxEntries = 2_000

/** Maximum issues reported for one file. */
const maxIssues = 100

/** Makes an issue for a place in a user's file. */
export function issueAt(
  { setting, file }: UserFile,
  path: JsonPath,
  about: Pick<SettingIssue, 'expected'> & Partial<SettingIssue>,
): SettingIssue {
  return issue(setting, { ...about, expected: `${file}, ${placeOf(path)}: ${about.expected}` })
}

/** A path into JSON as text: `[0].success.properties["my id"].pattern`. */
function placeOf(path: JsonPath): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    return /^[$A-Z_a-z][$\w]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
  })
  return steps.length === 0 ? 'the whole file' : steps.join('')
}

/** Parses JSON; `broken` says what is missing, as a phrase after "valid JSON". */
function parseJson(text: string): { readonly data?: unknown; readonly broken?: string } {
  if (isTooDeep(text)) return { broken: `, nested at most ${maxLevels} levels deep` }
  const data = jsonValue(text)
  if (data !== undefined) return { data }
  // The parser's message would quote the text, which might be any file.
  const outline = skimJson(text)
  const lines = text.slice(0, outline.kind === 'not-json' ? outline.at : 0).split('\n')
  return { broken: ` (broken at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})` }
}

/** Turns an Ajv error into an issue: what its schema describes, or the name that was probably meant. */
function issueOf({ instancePath, parentSchema, params, data }: ErrorObject, source: UserFile): SettingIssue {
  const path = pathOf(instancePath)
  const properties = objectOr(objectOr(parentSchema)['properties'])
  const missing: unknown = params['missingProperty']
  const unknown: unknown = params['additionalProperty']

  if (typeof missing === 'string') {
    return issueAt(source, [...path, missing], { expected: descriptionOf(properties[missing]) })
  }
  if (typeof unknown === 'string') {
    const names = Object.keys(properties)
    const expected = `no such property; there are ${names.join(', ')}`
    return issueAt(source, [...path, unknown], { expected, hint: didYouMean(meant(unknown, names)) })
  }
  return issueAt(source, path, { given: JSON.stringify(data) ?? null, expected: descriptionOf(parentSchema) })
}

function pathOf(instancePath: string): JsonPath {
  return instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

function descriptionOf(schema: unknown): string {
  const description = objectOr(schema)['description']
  return typeof description === 'string' ? description : 'another value'
}
