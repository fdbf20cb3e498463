import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Area, asOwnCode } from '../run/plan/cases.ts'
import { exposed, type CredentialSearch } from '../settings/hide-secrets.ts'
import { issue, parsed } from '../settings/issue.ts'
import { readSettings, type SettingsResult } from '../settings/settings.ts'
import { inputWith, type SettingsInput } from '../settings/sources.ts'
import { UnfitFile, notPlain } from '../settings/user-file.ts'
import { areaOf, ruleIds } from '../specification/rules.ts'
import { objectOr } from '../text/json.ts'
import { codeOf, errorText, unprintable } from '../text/printable.ts'

/** Sources of the settings. The defaults are no values, the working folder of the process, and the current time. */
export type GivenSettings = Partial<SettingsInput> &
  Readonly<{
    /** The caller's areas, judged in addition to those in RUN_SUITES. */
    own?: readonly Area[]
  }>

/** Checked settings and the areas to judge, or all issues at once. */
export type SettingsAndSuites = SettingsResult<Area> & { readonly suites: readonly Area[] }

/** Reads settings as the command line does, from flags, an environment and an env file. Also returns the areas to judge. */
export async function readSettingsAndSuites({ own, ...given }: GivenSettings): Promise<SettingsAndSuites> {
  const read = await readSettings<Area>(inputWith(given), (folder, search) => loadSuites(folder, own, search))
  const { suites } = await import('../../suites/index.ts')
  return { ...read, suites: [...suites, ...read.own] }
}

/** The values exported by a module or passed by a script, with their source. */
type Found = Readonly<{ file: string; values: readonly unknown[] }>

const isModule = /(?<!\.d)(?<!\.test)\.(?:m?js|m?ts)$/
const ofScript = 'the areas given as own'

/** Loads the user's areas from the RUN_SUITES folder (absolute or null) and adds those passed by a script. Each issue names the file. */
export async function loadSuites(
  folder: string | null,
  given: readonly Area[] = [],
  search: CredentialSearch = () => null,
) {
  const modules = folder === null ? parsed([]) : await modulesIn(folder)
  const found = [{ file: ofScript, values: given }, ...modules.value]
  const issues = [...modules.issues, ...found.flatMap(mistakesIn)]
  const declaredIn = new Map<string, string>()
  const areas: Area[] = []
  for (const { file, values } of found) {
    for (const { title, rules } of values.filter(isArea)) {
      areas.push({ title, rules: file === ofScript ? rules : rules.map((rule) => ({ ...rule, file })) })
      for (const { id, entry } of rules) {
        const first = declaredIn.get(id)
        if (first === undefined) declaredIn.set(id, file)
        else issues.push(mistake(`${file}: ${id}`, `a unique id; ${first} declares the same one`))
        for (const text of [id, entry.section, entry.says, entry.needs ?? ''])
          issues.push(...exposed(search, 'RUN_SUITES', `${file}: ${text}`, 'anywhere', text))
      }
    }
  }
  return { value: issues.length === 0 ? areas : [], issues }
}

/** The mistakes in the exports of a module. An area or a rule that is exported in any other way would silently be left out. */
function mistakesIn({ file, values }: Found) {
  const areas = values.filter((value) => 'rules' in Object(value))
  const declared = new Set([...areas, ...areas.flatMap((area) => objectOr(area)['rules'])])
  const isLost = (part: unknown) =>
    ['rules', 'work'].some((name) => name in Object(part)) && !declared.has(part)
  const lost = values.filter((value) => value instanceof Promise || [value].flat().some(isLost))
  if (areas.length + lost.length === 0 && file !== ofScript)
    return [mistake(file, 'a module that exports an area made with area()')]
  return [...areas.flatMap(wrongIn), ...lost.map(() => separately)].map((expected) => mistake(file, expected))
}

function mistake(given: string, expected: string, hint: string | null = null) {
  return issue('RUN_SUITES', { given, expected, hint })
}

/** The modules in a folder, sorted so that the same folder always produces the same catalogue. Loading ends with the first mistake. */
async function modulesIn(folder: string) {
  const names = await readdir(folder).catch(errorText)
  const modules = typeof names === 'string' ? [] : names.filter((name) => isModule.test(name))
  if (modules.length === 0) {
    const given = typeof names === 'string' ? `${folder} (${names})` : folder
    return parsed([], mistake(given, 'a folder with modules (*.mjs, *.js or *.ts) that export areas'))
  }
  const found: Found[] = []
  for (const name of modules.toSorted()) {
    const file = join(folder, name)
    try {
      found.push({ file, values: [...new Set<unknown>(Object.values(await loaded(file)))] })
    } catch (error) {
      return { value: found, issues: [unloadable(file, error)] }
    }
  }
  return parsed(found)
}

/** Maximum time to load a module, in seconds. On a busy machine, vitest may have to transform it first. */
const loadsWithin = 60

/** Imports a module. The timer keeps the process alive while the module awaits something at its top level. */
async function loaded(file: string): Promise<object> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    const expected = `a module that loads within ${loadsWithin} seconds; it, or one that it imports, awaits something that never settles`
    timer = setTimeout(() => fail(new Error(expected)), loadsWithin * 1_000)
  })
  try {
    // Opening a pipe would wait indefinitely for a writer.
    const stats = await stat(file)
    if (!stats.isFile() && !stats.isDirectory()) throw new UnfitFile(notPlain)
    const load = (): Promise<object> => import(/* @vite-ignore */ pathToFileURL(file).href)
    return await Promise.race([asOwnCode(file, load), late])
  } finally {
    clearTimeout(timer)
  }
}

function unloadable(file: string, error: unknown) {
  if (codeOf(error) !== 'ERR_UNKNOWN_FILE_EXTENSION')
    return mistake(file, 'a module that can be loaded', errorText(error))
  // Node 20 needs a loader for TypeScript; later versions strip types.
  const expected = `JavaScript, or a Node version that strips types (22.18 or newer); this is ${process.versions.node}`
  const hint = `use a newer Node, compile the file to JavaScript, or install tsx and set NODE_OPTIONS='--import tsx'`
  return mistake(file, expected, hint)
}

const separately = 'areas with a title and rules, made with area(), each exported separately'

function isArea(value: unknown): value is Area {
  return wrongIn(value).length === 0
}

/** The requirements that an area does not meet, one phrase each. */
function wrongIn(area: unknown) {
  const { title, rules } = objectOr(area)
  if (!isText(title) || !Array.isArray(rules) || rules.length === 0) return [separately]
  return rules.flatMap((rule) => {
    const { id, entry, work } = objectOr(rule)
    const { level, section, says } = objectOr(entry)
    if (typeof work !== 'function') return ['rules made with rule() or fuzzed()']
    if (typeof id !== 'string' || !/^[a-z0-9-]+\/[a-z0-9-]+$/.test(id))
      return [`an id such as acme/paging (lower case, digits and hyphens), instead of ${String(id)}`]
    const [prefix] = id.split('/')
    if (ruleIds.some((known) => areaOf(known) === prefix))
      return [`an id with your own prefix, instead of ${id}: ${prefix} is an area of the specification`]
    if (levels.includes(level) && isText(section) && isText(says)) return []
    return [`${id}: a level (${levels.join(', ')}), a section and a sentence, all as strings`]
  })
}

const levels: readonly unknown[] = ['documented', 'implied', 'requested']

/** Maximum length of a text in the catalogue, in characters. */
const longestText = 500

function isText(value: unknown): value is string {
  const isShort = typeof value === 'string' && value.trim() !== '' && value.length <= longestText
  return isShort && value.search(unprintable) === -1
}
