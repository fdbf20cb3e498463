import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Area } from '../engine/plan/cases.ts'
import { asOwnCode } from '../engine/plan/own-code.ts'
import { exposed, noCredentials, type CredentialSearch } from '../settings/hide-secrets.ts'
import { issue, parsed, type Parsed, type SettingIssue } from '../settings/issue.ts'
import { errorText, unprintable } from '../text/printable.ts'
import { notPlain, UnfitFile } from '../settings/user-file.ts'
import { areaOf, phases, ruleIds } from '../specification/rules.ts'

/** Where the user's own areas are. */
interface OwnSuites {
  /** The folder of RUN_SUITES, absolute; null if none is given. */
  readonly folder: string | null
  /** Areas that a script gives. */
  readonly given: readonly Area[]
}

/** An area and where it is from: the file of its module, or null for a script. */
interface Found {
  readonly file: string | null
  readonly area: Area
}

/** The areas of the user's own. Each issue names the file. */
export async function loadSuites(
  { folder, given }: OwnSuites,
  search: CredentialSearch = noCredentials,
): Promise<Parsed<readonly Area[]>> {
  const loaded = [found(null, given), ...(folder === null ? [] : await loadFolder(folder))]
  const all = loaded.flatMap(({ value }) => value)
  const issues = [...loaded.flatMap((one) => one.issues), ...issuesOfRules(all, search)]
  return { value: issues.length === 0 ? all.map(inFile) : [], issues }
}

/** Issues that show only when all rules are known. */
function issuesOfRules(all: readonly Found[], search: CredentialSearch): readonly SettingIssue[] {
  const declared = all.flatMap(({ file, area }) =>
    area.rules.map(({ id, entry }) => ({ file: file ?? ofScript, id, ...entry })),
  )
  const twice = declared
    .filter(({ id }, at) => declared.findIndex((one) => one.id === id) < at)
    .map(({ file, id }) => {
      const first = declared.find((one) => one.id === id)?.file ?? ''
      return mistake(`${file}: ${id}`, `an id that no other rule has; ${first} declares it, too`)
    })
  const leaking = declared.flatMap(({ file, id, section, says, needs = '' }) =>
    [id, section, says, needs]
      .filter((text) => search.in(text) !== null)
      .map((text) => exposed('RUN_SUITES', `${file}: ${text}`)),
  )
  return [...twice, ...leaking]
}

const isModule = /(?<!\.d)(?<!\.test)\.(?:m?js|m?ts)$/
const ofScript = 'the areas given as own'

async function loadFolder(folder: string): Promise<readonly Parsed<readonly Found[]>[]> {
  const names = await readdir(folder).catch((error: unknown) => errorText(error))
  const modules = typeof names === 'string' ? [] : names.filter((name) => isModule.test(name)).toSorted()
  if (modules.length === 0) {
    const given = typeof names === 'string' ? `${folder} (${names})` : folder
    return [parsed([], mistake(given, 'a folder with modules (*.mjs, *.js or *.ts) that export areas'))]
  }
  const loaded: Parsed<readonly Found[]>[] = []
  // In order, so that the same folder always gives the same catalogue.
  for (const name of modules) {
    const exported = await exportsOf(join(folder, name))
    loaded.push(exported === null ? parsed([], neverLoaded(join(folder, name))) : exported)
    // Others would be waited for as long.
    if (exported === null) break
  }
  return loaded
}

/** Time that a module may take to load, in seconds: a busy machine may take long for one that vitest transforms first. */
const loadsWithin = 60
const checksPerSecond = 10

/** The areas of a module; null if it is not loaded in time. What it never waits for does not end the process meanwhile. */
async function exportsOf(file: string): Promise<Parsed<readonly Found[]> | null> {
  let timer: NodeJS.Timeout | undefined
  let left = loadsWithin * checksPerSecond
  const late = new Promise<null>((resolve) => {
    // Counted in steps: while the process itself is busy, as it compiles a checkout for the module, no time passes.
    timer = setInterval(() => {
      left -= 1
      if (left === 0) resolve(null)
    }, 1_000 / checksPerSecond)
  })
  try {
    return await Promise.race([loadModule(file), late])
  } finally {
    clearInterval(timer)
  }
}

function neverLoaded(file: string): SettingIssue {
  const expected = `a module that is loaded within ${loadsWithin} seconds; it waits for what does not come, at its top level or in what it imports`
  return mistake(file, expected)
}

function mistake(given: string, expected: string, hint: string | null = null): SettingIssue {
  return issue('RUN_SUITES', { given, expected, hint })
}

async function loadModule(file: string): Promise<Parsed<readonly Found[]>> {
  let exported: object
  try {
    // Opening a pipe would wait for a writer, and nothing could end that.
    const isOther = await stat(file).then((stats) => !stats.isFile() && !stats.isDirectory())
    if (isOther) throw new UnfitFile(notPlain)
    exported = await asOwnCode(file, () => import(/* @vite-ignore */ pathToFileURL(file).href))
  } catch (error) {
    return parsed([], notLoaded(file, error))
  }
  const values = [...new Set<unknown>(Object.values(exported))]
  const areas = values.filter(isMeantAsArea)
  const forgotten = leftOut(values, areas).map((expected) => mistake(file, expected))
  if (areas.length === 0 && forgotten.length === 0)
    return parsed([], mistake(file, 'a module that exports an area, made with area()'))
  const { value, issues } = found(file, areas)
  return { value, issues: [...forgotten, ...issues] }
}

/** The areas among what is meant as some, and what is wrong with the others. */
function found(file: string | null, meant: readonly object[]): Parsed<readonly Found[]> {
  return {
    value: meant.filter(isArea).map((area) => ({ file, area })),
    issues: meant.flatMap(wrongIn).map((expected) => mistake(file ?? ofScript, expected)),
  }
}

/** The area; each of its rules names its file. */
function inFile({ file, area }: Found): Area {
  return file === null ? area : { ...area, rules: area.rules.map((rule) => ({ ...rule, file })) }
}

/** Node 20 needs a loader for TypeScript; later ones strip types. */
function notLoaded(file: string, error: unknown): SettingIssue {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    const expected = `JavaScript, or a Node that strips types (22.18 or newer); this is ${process.versions.node}`
    const hint = `use a newer Node, compile the file to JavaScript, or install tsx and set NODE_OPTIONS='--import tsx'`
    return mistake(file, expected, hint)
  }
  const isPackage = error instanceof Error && error.message.includes("'card-switch-conformance'")
  const hint = isPackage ? 'install the package card-switch-conformance where this file finds it' : null
  return mistake(`${file} (${errorText(error)})`, 'a module that can be loaded', hint)
}

function isMeantAsArea(value: unknown): value is object {
  const { title, rules } = recordOf(value)
  return title !== undefined && rules !== undefined
}

/** What would be left out of the run without a word: rules outside of areas, areas in a list, and what is yet to come. */
function leftOut(values: readonly unknown[], areas: readonly object[]): readonly string[] {
  const taken = new Set([...areas, ...areas.flatMap((one) => recordOf(one)['rules'])])
  const others = values.flat().filter((one) => !taken.has(one))
  return [
    ...(others.some((one) => one instanceof Promise) ? ['areas, instead of a promise: await it'] : []),
    ...(others.some(isMeantAsArea) ? ['an export for each area, instead of a list of areas'] : []),
    ...(others.some(isMeantAsRule)
      ? ['rules within an area, made with area(), instead of a rule alone']
      : []),
  ]
}

function isMeantAsRule(value: unknown): boolean {
  const { entry, work } = recordOf(value)
  return entry !== undefined && typeof work === 'function'
}

function isArea(value: object): value is Area {
  return wrongIn(value).length === 0
}

/** What an area must be and is not, a phrase each. */
function wrongIn(area: object): readonly string[] {
  const { title, rules } = recordOf(area)
  return [
    ...(isText(title) ? [] : ['a title of an area, as text']),
    ...(Array.isArray(rules) && rules.length > 0
      ? rules.flatMap(wrongInRule)
      : [`at least one rule in the area ${String(title)}`]),
  ]
}

function wrongInRule(rule: unknown): readonly string[] {
  const { id, entry, work } = recordOf(rule)
  if (typeof work !== 'function') return ['rules that are made with rule() or fuzzed()']
  if (typeof id !== 'string' || !/^[a-z0-9-]+\/[a-z0-9-]+$/.test(id))
    return [`an id such as acme/paging (lower case, digits and hyphens), instead of ${String(id)}`]
  const own = areas.find((area) => id.startsWith(`${area}/`))
  if (own !== undefined)
    return [`an id under a prefix of your own, instead of ${id}: ${own} is an area of the specification`]
  const { level, section, says, phase, needs } = recordOf(entry)
  return [
    ...(levels.some((one) => one === level) ? [] : [`${id}: a level, one of ${levels.join(', ')}`]),
    ...(isText(section) ? [] : [`${id}: a section, the place in your specification, as text`]),
    ...(isText(says) ? [] : [`${id}: says, what must hold, as one sentence`]),
    ...(phases.some((one) => one === phase) ? [] : [`${id}: a phase, one of ${phases.join(', ')}`]),
    ...(needs === undefined || isText(needs) ? [] : [`${id}: needs, the settings that it needs, as text`]),
  ]
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
