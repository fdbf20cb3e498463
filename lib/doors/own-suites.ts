import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Area } from '../engine/plan/cases.ts'
import { asOwnCode } from '../engine/plan/own-rules.ts'
import { exposed, noCredentials, type CredentialSearch } from '../settings/hide-secrets.ts'
import { issue, type Parsed, type SettingIssue } from '../settings/issue.ts'
import { notPlain, UnfitFile } from '../settings/user-file.ts'
import { areaOf, ruleIds } from '../specification/rules.ts'
import { errorText, unprintable } from '../text/printable.ts'

/** What a module exports, by the file; or what a script gives. */
interface Found {
  readonly file: string
  readonly values: readonly unknown[]
}

const isModule = /(?<!\.d)(?<!\.test)\.(?:m?js|m?ts)$/
const ofScript = 'the areas given as own'

/** The user's own areas: of the folder of RUN_SUITES, absolute or null, and those that a script gives. Each issue names the file. */
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
    if (file !== ofScript && meant.every((one) => one.file !== file))
      issues.push(mistake(file, 'a module that exports an area, made with area()'))
  const declared = areas.flatMap(({ file, area }) => area.rules.map((rule) => ({ file, rule })))
  for (const [at, { file, rule }] of declared.entries()) {
    const { id, entry } = rule
    const first = declared.findIndex((one) => one.rule.id === id)
    if (first < at)
      issues.push(
        mistake(`${file}: ${id}`, `an id that no other rule has; ${declared[first]?.file} declares it, too`),
      )
    for (const text of [id, entry.section, entry.says, entry.needs ?? ''])
      if (search.in(text) !== null) issues.push(exposed('RUN_SUITES', `${file}: ${text}`))
  }
  const value = areas.map(({ file, area: { title, rules } }) => ({
    title,
    rules: file === ofScript ? rules : rules.map((rule) => ({ ...rule, file })),
  }))
  return { value: issues.length === 0 ? value : [], issues }
}

/** A module that was not loaded. */
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

/** The modules of a folder in order, so that the same folder always gives the same catalogue. */
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

/** Time that a module may take to load, in seconds: a busy machine may take long for one that vitest transforms first. */
const loadsWithin = 60

/** A module; what it never waits for does not end the process meanwhile. */
async function inTime(file: string): Promise<object> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const expected = `a module that is loaded within ${loadsWithin} seconds; it waits for what does not come, at its top level or in what it imports`
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
    // Opening a pipe would wait for a writer, and nothing could end that.
    const isOther = await stat(file).then((stats) => !stats.isFile() && !stats.isDirectory())
    if (isOther) throw new UnfitFile(notPlain)
    return await asOwnCode(file, () => import(/* @vite-ignore */ pathToFileURL(file).href))
  } catch (error) {
    // Node 20 needs a loader for TypeScript; later ones strip types.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      const expected = `JavaScript, or a Node that strips types (22.18 or newer); this is ${process.versions.node}`
      const hint = `use a newer Node, compile the file to JavaScript, or install tsx and set NODE_OPTIONS='--import tsx'`
      throw new Unloaded(file, expected, hint)
    }
    const isPackage = error instanceof Error && error.message.includes("'card-switch-conformance'")
    const hint = isPackage ? 'install the package card-switch-conformance where this file finds it' : null
    throw new Unloaded(`${file} (${errorText(error)})`, 'a module that can be loaded', hint)
  }
}

/** Whether a value is meant as areas: what would be left out of the run without a word, if it were none. `taken` is exported otherwise. */
function isMeant(value: unknown, taken: ReadonlySet<unknown>): boolean {
  const isLoose = (one: unknown): boolean => 'work' in Object(one) && !taken.has(one)
  const isList = Array.isArray(value)
  const areIn = [value].flat().some((one) => 'rules' in Object(one) && !(isList && taken.has(one)))
  return value instanceof Promise || areIn || [value].flat().some(isLoose)
}

function isArea(value: unknown): value is Area {
  return wrongIn(value).length === 0
}

/** What an area must be and is not, a phrase each. */
function wrongIn(area: unknown): readonly string[] {
  const { title, rules } = recordOf(area)
  if (!isText(title) || !Array.isArray(rules) || rules.length === 0)
    return ['areas with a title and rules, made with area(), an export each']
  return rules.flatMap((rule) => {
    const { id, entry, work } = recordOf(rule)
    const { level, section, says } = recordOf(entry)
    if (typeof work !== 'function') return ['rules that are made with rule() or fuzzed()']
    if (typeof id !== 'string' || !/^[a-z0-9-]+\/[a-z0-9-]+$/.test(id))
      return [`an id such as acme/paging (lower case, digits and hyphens), instead of ${String(id)}`]
    const own = areas.find((one) => id.startsWith(`${one}/`))
    if (own !== undefined)
      return [`an id under a prefix of your own, instead of ${id}: ${own} is an area of the specification`]
    return levels.some((one) => one === level) && isText(section) && isText(says)
      ? []
      : [`${id}: a level (${levels.join(', ')}), a section and what the rule says, as texts`]
  })
}

const areas: readonly string[] = [...new Set(ruleIds.map(areaOf))]
const levels = ['documented', 'implied', 'requested'] as const

/** Maximum length of a text of the catalogue, in characters. */
const longestText = 500

function isText(value: unknown): value is string {
  const isShort = typeof value === 'string' && value.trim() !== '' && value.length <= longestText
  return isShort && value.search(unprintable) === -1
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
