import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Area } from '../run/plan/cases.ts'
import { asOwnCode } from '../run/plan/own-rules.ts'
import { exposed, noCredentials, type CredentialSearch } from '../settings/hide-secrets.ts'
import { issue, type Parsed, type SettingIssue } from '../settings/issue.ts'
import { notPlain, UnfitFile } from '../settings/user-file.ts'
import { areaOf, ruleIds } from '../specification/rules.ts'
import { errorText, unprintable } from '../text/printable.ts'

/** Values exported by a module or passed by a script, with their source. */
interface Found {
  readonly file: string
  readonly values: readonly unknown[]
}

const isModule = /(?<!\.d)(?<!\.test)\.(?:m?js|m?ts)$/
const ofScript = 'the areas given as own'

/** Loads the user's areas from the RUN_SUITES folder (absolute or null) and adds those passed by a script. Each issue names the file. */
export async function loadSuites(
  folder: string | null,
  given: readonly Area[] = [],
  search: CredentialSearch = noCredentials,
): Promise<Parsed<readonly Area[]>> {
  const issues: SettingIssue[] = []
  const found: Found[] = [{ file: ofScript, values: given }]
  try {
    if (folder !== null) for await (const module of modulesIn(folder)) found.push(module)
  } catch (error) {
    if (!(error instanceof Unloaded)) throw error
    issues.push(error.issue)
  }
  const meant = found.flatMap(({ file, values }) => {
    const taken = new Set([
      ...values.filter((value) => 'rules' in Object(value)),
      ...values.flatMap((value) => recordOf(value)['rules']),
    ])
    return values.filter((value) => isMeant(value, taken)).map((value) => ({ file, value }))
  })
  const areas = meant.flatMap(({ file, value }) => {
    issues.push(...wrongIn(value).map((expected) => mistake(file, expected)))
    return isArea(value) ? [{ file, area: value }] : []
  })
  for (const { file } of found)
    if (file !== ofScript && meant.every((area) => area.file !== file))
      issues.push(mistake(file, 'a module that exports an area made with area()'))
  const declared = areas.flatMap(({ file, area }) => area.rules.map((rule) => ({ file, rule })))
  for (const [at, { file, rule }] of declared.entries()) {
    const { id, entry } = rule
    const first = declared.findIndex((earlier) => earlier.rule.id === id)
    if (first < at)
      issues.push(mistake(`${file}: ${id}`, `a unique id; ${declared[first]?.file} declares the same one`))
    for (const text of [id, entry.section, entry.says, entry.needs ?? ''])
      if (search.in(text) !== null) issues.push(exposed('RUN_SUITES', `${file}: ${text}`))
  }
  const value = areas.map(({ file, area: { title, rules } }) => ({
    title,
    rules: file === ofScript ? rules : rules.map((rule) => ({ ...rule, file })),
  }))
  return { value: issues.length === 0 ? value : [], issues }
}

/** Thrown for a module that could not be loaded. */
class Unloaded extends Error {
  readonly issue: SettingIssue

  constructor(given: string, expected: string, hint: string | null = null) {
    super(expected)
    this.issue = { ...mistake(given, expected), hint }
  }
}

function mistake(given: string, expected: string): SettingIssue {
  return issue('RUN_SUITES', { given, expected })
}

/** The modules in a folder, sorted so that the same folder always produces the same catalogue. */
async function* modulesIn(folder: string): AsyncGenerator<Found> {
  const names = await readdir(folder).catch((error: unknown) => errorText(error))
  const modules = typeof names === 'string' ? [] : names.filter((name) => isModule.test(name)).toSorted()
  if (modules.length === 0) {
    const given = typeof names === 'string' ? `${folder} (${names})` : folder
    throw new Unloaded(given, 'a folder with modules (*.mjs, *.js or *.ts) that export areas')
  }
  for (const name of modules) {
    const file = join(folder, name)
    yield { file, values: [...new Set<unknown>(Object.values(await inTime(file)))] }
  }
}

/** Maximum time to load a module, in seconds. On a busy machine, vitest may have to transform it first. */
const loadsWithin = 60

/** Imports a module. The timer keeps the process alive while the module awaits something at its top level. */
async function inTime(file: string): Promise<object> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const expected = `a module that loads within ${loadsWithin} seconds; it, or a module that it imports, awaits something at its top level that never settles`
    timer = setTimeout(() => reject(new Unloaded(file, expected)), loadsWithin * 1_000)
  })
  try {
    return await Promise.race([loaded(file), late])
  } finally {
    clearTimeout(timer)
  }
}

async function loaded(file: string): Promise<object> {
  try {
    // Opening a pipe would wait indefinitely for a writer.
    const isOther = await stat(file).then((stats) => !stats.isFile() && !stats.isDirectory())
    if (isOther) throw new UnfitFile(notPlain)
    return await asOwnCode(file, () => import(/* @vite-ignore */ pathToFileURL(file).href))
  } catch (error) {
    // Node 20 needs a loader for TypeScript; later versions strip types.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      const expected = `JavaScript, or a Node version that strips types (22.18 or newer); this is ${process.versions.node}`
      const hint = `use a newer Node, compile the file to JavaScript, or install tsx and set NODE_OPTIONS='--import tsx'`
      throw new Unloaded(file, expected, hint)
    }
    const isPackage = error instanceof Error && error.message.includes("'card-switch-conformance'")
    const hint = isPackage ? 'install the package card-switch-conformance in this folder or above it' : null
    throw new Unloaded(`${file} (${errorText(error)})`, 'a module that can be loaded', hint)
  }
}

/** Whether a value looks like areas but is not exported as such, so that the run would silently omit it. `taken` is already exported. */
function isMeant(value: unknown, taken: ReadonlySet<unknown>): boolean {
  const isLoose = (item: unknown): boolean => 'work' in Object(item) && !taken.has(item)
  const isList = Array.isArray(value)
  const areIn = [value].flat().some((item) => 'rules' in Object(item) && !(isList && taken.has(item)))
  return value instanceof Promise || areIn || [value].flat().some(isLoose)
}

function isArea(value: unknown): value is Area {
  return wrongIn(value).length === 0
}

/** The requirements that an area does not meet, one phrase each. */
function wrongIn(area: unknown): readonly string[] {
  const { title, rules } = recordOf(area)
  if (!isText(title) || !Array.isArray(rules) || rules.length === 0)
    return ['areas with a title and rules, made with area(), each exported separately']
  return rules.flatMap((rule) => {
    const { id, entry, work } = recordOf(rule)
    const { level, section, says } = recordOf(entry)
    if (typeof work !== 'function') return ['rules made with rule() or fuzzed()']
    if (typeof id !== 'string' || !/^[a-z0-9-]+\/[a-z0-9-]+$/.test(id))
      return [`an id such as acme/paging (lower case, digits and hyphens), instead of ${String(id)}`]
    const own = areas.find((name) => id.startsWith(`${name}/`))
    if (own !== undefined)
      return [`an id with your own prefix, instead of ${id}: ${own} is an area of the specification`]
    return levels.some((known) => known === level) && isText(section) && isText(says)
      ? []
      : [
          `${id}: a level (${levels.join(', ')}), a section and a sentence that states the rule, all as strings`,
        ]
  })
}

const areas: readonly string[] = [...new Set(ruleIds.map(areaOf))]
const levels = ['documented', 'implied', 'requested'] as const

/** Maximum length of a text in the catalogue, in characters. */
const longestText = 500

function isText(value: unknown): value is string {
  const isShort = typeof value === 'string' && value.trim() !== '' && value.length <= longestText
  return isShort && value.search(unprintable) === -1
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
