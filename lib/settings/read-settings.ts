import { stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { catalogueOf, specCatalogue, type Catalogue, type DeclaredArea } from '../specification/rules.ts'
import { printable } from '../text/printable.ts'
import { readConnection } from './connection-settings.ts'
import {
  credentialSearch,
  exposed,
  exposedCredentials,
  hideSecrets,
  type CredentialSearch,
} from './hide-secrets.ts'
import { Collected, issue, parsed, type Parsed, type SettingIssue } from './issue.ts'
import { readList } from './json-file.ts'
import { profiles } from './profiles.ts'
import {
  readClients,
  readFixtures,
  resolveTarget,
  unusedByEmbedded,
  versionOf,
  type ResolvedTarget,
} from './read-target.ts'
import { readOnly } from './selection.ts'
import { settingTable, type Checked, type Setting, type SettingName, type Texts } from './setting-table.ts'
import { connectionSettings, type RunSettings, type Settings } from './settings.ts'
import { shownPath } from './shown-path.ts'
import { checkTexts, envFileNotices, readSources, type SettingsInput, type Sources } from './sources.ts'
import { behindLink } from './user-file.ts'
import { isExpired, utcDay, waiverSubject } from './waivers.ts'

/** The user's areas, and the catalogue of all rules. */
interface OwnRules<Own> {
  readonly own: readonly Own[]
  readonly catalogue: Catalogue
  /** Makes further issues safe to show. */
  readonly shown: (issues: readonly SettingIssue[]) => readonly SettingIssue[]
}

/** Loads the user's areas from the folder RUN_SUITES (absolute); null if it is not set. */
type LoadOwn<Own> = (folder: string | null, search: CredentialSearch) => Promise<Parsed<readonly Own[]>>

/** Checked settings and notices, or all issues at once. */
export type SettingsResult<Own extends DeclaredArea = never> = OwnRules<Own> &
  (
    | { readonly kind: 'settings'; readonly settings: Settings; readonly notices: readonly string[] }
    | {
        readonly kind: 'issues'
        readonly issues: readonly SettingIssue[]
        /** The valid settings and the defaults of all others, for the verdict; nothing in them may be a credential. */
        readonly partial: Settings
        readonly notices: readonly string[]
      }
  )

/** Default number of requests per second, chosen to be polite to a shared staging system. */
const politeRate = 25

/** Reads and checks the settings from flags, environment and env file. Documented in `docs/settings.md`. */
export async function readSettings<Own extends DeclaredArea = never>(
  input: SettingsInput,
  loadOwn: LoadOwn<Own> = () => Promise.resolve(parsed([])),
): Promise<SettingsResult<Own>> {
  const sources = await readSources(input)
  const { cwd, now, envFile } = input
  const search = credentialSearch(sources.credentials)
  const parts = new Collected()

  const resolved = parts.take(resolveTarget(sources))
  const unused = resolved.kind === 'embedded' ? unusedByEmbedded(sources.texts) : []
  const texts = without(sources.texts, unused)
  const leaks = exposedCredentials(texts, search)
  // A value that contains a credential is not used, because the terminal would show the folder name.
  const right = without(
    texts,
    leaks.map(({ setting }) => setting),
  )
  const isRequired = resolved.kind === 'address' || (resolved.kind === 'unknown' && resolved.remote)
  const checked = parts.take(checkTexts(right))
  const clients = parts.take(readClients(checked, texts, isRequired))

  const shown = (further: readonly SettingIssue[]) => hideSecrets(further, search, texts)
  const { RUN_SUITES: folder, TARGET_ENDPOINTS: file } = checked
  const own = parts.take(await loadOwn(folder === undefined ? null : resolve(cwd, folder), search))
  const catalogue = new Map([...specCatalogue, ...catalogueOf(own)])
  // Loaded on demand, because Ajv is slow to load.
  const endpoints = await readList({ setting: 'TARGET_ENDPOINTS', file, cwd }, async () => {
    const { parseEndpoints } = await import('./endpoints-file.ts')
    return (source) => parseEndpoints(source, search)
  })
  const fromEnvFile = connectionSettings.filter(
    (name) => envFile === null && sources.from.get(name) === 'file',
  )
  const target = {
    baseUrl: resolved.kind === 'address' && checked.TARGET_BASE_URL ? resolved.address.baseUrl : null,
    embedded: resolved.kind === 'embedded',
    version: versionOf(checked),
    query: checked.TARGET_QUERY ?? null,
    label: checked.TARGET_LABEL ?? null,
    build: checked.TARGET_BUILD ?? null,
    client: clients.target,
    endpoints: parts.take(endpoints),
    ...(fromEnvFile.length === 0 ? {} : { fromEnvFile }),
  }
  const fixtures = parts.take(readFixtures(checked, clients))
  const replayFlags = replayFlagsOf(input, { texts, from: sources.from })
  const waivers = await readList({ setting: 'RUN_WAIVERS', file: checked.RUN_WAIVERS, cwd }, async () => {
    const { parseWaivers } = await import('./waivers-file.ts')
    return (source) => parseWaivers(source, catalogue, search)
  })
  const run = {
    ...(await readRun(parts, checked, input)),
    maxRps: checked.RUN_MAX_RPS ?? (isLocal(resolved) ? null : politeRate),
    only: parts.take(readOnly(checked.RUN_ONLY, catalogue)),
    waivers: parts.take(waivers),
    replayFlags,
  }
  const settings = { target, fixtures, run }
  const found = [...parts.issues, ...leaks]
  const isNameExposed = envFile !== null && search.in(envFile, 'inFileNames') !== null
  const issues = [
    ...sources.issues,
    ...sources.settled(isNameExposed ? [...found, exposed('--settings-file', envFile)] : found),
  ]
  const left = envFile === null ? (sources.envFile.variables?.['RUN_SUITES'] ?? '') : ''
  const notices = [
    ...envFileNotices(sources.envFile, '--settings-file .env reads it'),
    ...(left.trim() !== '' && folder === undefined ? [ownRulesLeftOut] : []),
  ]
  const rules = { own, shown, catalogue }
  if (issues.length === 0) {
    const ofSettings = noticesOf(settings, resolved, unused, now)
    return { ...rules, kind: 'settings', settings, notices: [...notices, ...ofSettings] }
  }
  const shownRun = { ...run, waivers: [], httpsProxy: null, replayFlags: [] }
  const partial = { target: { ...target, endpoints: [] }, fixtures, run: shownRun }
  return { ...rules, kind: 'issues', issues: shown(issues), partial, notices }
}

const ownRulesLeftOut =
  'RUN_SUITES in .env is ignored, because it names code to run and you did not name that file: use --suites, the environment, or --settings-file .env'

function without(texts: Texts, names: readonly string[]): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !names.includes(name)))
}

function noticesOf(
  { target, run }: Settings,
  resolved: ResolvedTarget,
  unused: readonly SettingName[],
  now: Date,
): readonly string[] {
  const ignored = unused.filter((name) => name !== 'HTTPS_PROXY')
  const expired = run.waivers.filter((waiver) => isExpired(waiver, utcDay(now)))

  return [
    ...(resolved.kind === 'embedded'
      ? ["EMBEDDED REFERENCE SERVICE: these results are about the suite's own service, not about yours"]
      : []),
    ...(ignored.length > 0
      ? [`ignored, because the embedded service has its own clients and fixtures: ${ignored.join(', ')}`]
      : []),
    ...(resolved.kind === 'address' && !resolved.address.encrypted && !resolved.address.loopback
      ? [`credentials are sent unencrypted to ${target.baseUrl ?? ''}; use https to protect them`]
      : []),
    ...expired.map(
      (waiver) =>
        `the waiver for ${waiverSubject(waiver)} expired on ${waiver.expires} and covers nothing (owner: ${waiver.owner})`,
    ),
  ].map(printable)
}

/** The settings of a run that need no other settings. */
async function readRun(parts: Collected, checked: Checked, { cwd, now }: SettingsInput) {
  const profile = profiles[checked.RUN_PROFILE ?? 'gate']
  const reportsDir = parts.take(await readReportsDir(cwd, checked.RUN_REPORTS_DIR))
  const { RUN_HISTORY: history, RUN_SIGNING_KEY_FILE: signingKey } = checked
  const unnamed = join(reportsDir, 'history.jsonl')
  const named = history === undefined ? null : resolve(cwd, history)
  return {
    profile: checked.RUN_PROFILE ?? 'gate',
    strict: checked.RUN_STRICT ?? profile.strict,
    seed: checked.RUN_SEED ?? profile.seed(now),
    fuzzCases: checked.RUN_FUZZ_CASES ?? profile.fuzzCases,
    essential: checked.RUN_ESSENTIAL ?? false,
    failed: checked.RUN_FAILED ?? false,
    identify: checked.RUN_IDENTIFY ?? false,
    maxRequests: checked.RUN_MAX_REQUESTS ?? profile.maxRequests,
    maxExhaust: checked.RUN_MAX_EXHAUST ?? 1_000,
    concurrency: checked.RUN_CONCURRENCY ?? 8,
    timeoutMs: checked.RUN_TIMEOUT_MS ?? 10_000,
    maxMinutes: checked.RUN_MAX_MINUTES ?? 60,
    reportsDir,
    // Follows only a link that the user named.
    history: named === unnamed ? await behindLink(named) : (named ?? unnamed),
    baseline: parts.take(readBaseline(checked, cwd)),
    signingKeyFile: signingKey === undefined ? null : resolve(cwd, signingKey),
    validDays: checked.RUN_VALID_DAYS ?? null,
    format: checked.RUN_FORMAT ?? 'text',
    quiet: checked.RUN_QUIET ?? false,
    trace: checked.RUN_TRACE ?? false,
    ...parts.take(await readConnection(checked, cwd)),
  }
}

function isLocal(resolved: ResolvedTarget): boolean {
  return resolved.kind === 'embedded' || (resolved.kind === 'address' && resolved.address.loopback)
}

function readBaseline(checked: Checked, cwd: string): Parsed<RunSettings['baseline']> {
  const { RUN_BASELINE: file, RUN_UPDATE_BASELINE: widens, RUN_RESET_BASELINE: replaces } = checked
  const mode = widens === true ? 'widen' : replaces === true ? 'replace' : 'compare'
  if (file === undefined && mode === 'compare') return parsed(null)
  if (file === undefined)
    return parsed(null, issue('RUN_BASELINE', { expected: 'the baseline file to widen or replace' }))
  if (widens === true && replaces === true) {
    const expected =
      'either RUN_UPDATE_BASELINE, which widens the baseline, or RUN_RESET_BASELINE, which replaces it'
    return parsed(null, issue('RUN_RESET_BASELINE', { given: 'true', expected }))
  }
  const shown = shownPath(file, cwd)
  return parsed({ file: resolve(cwd, file), shown, again: isAbsolute(file) ? shown : file, mode })
}

async function readReportsDir(cwd: string, text = 'reports'): Promise<Parsed<string>> {
  const folder = resolve(cwd, text)
  const stats = await stat(folder).catch(() => null)
  if (stats === null || stats.isDirectory()) return parsed(folder)

  const expected = 'a folder, which is created if it is missing'
  const mistake = issue('RUN_REPORTS_DIR', { given: `${text} (a file)`, expected })
  return parsed(resolve(cwd, 'reports'), mistake)
}

/**
 * Arguments for a replay line that sends the same case from the same folder and environment. These are the env file, address, endpoints
 * file, and every flag that affects sending. The case name contains the seed, and the profile and selection never change a case. Readers
 * must name a file outside the folder themselves; see {@link shownPath}.
 */
function replayFlagsOf(
  { envFile, cwd }: SettingsInput,
  { texts, from }: Pick<Sources, 'texts' | 'from'>,
): readonly string[] {
  const shown = (file: string): string => (isAbsolute(file) ? shownPath(file, cwd) : file)
  // Always includes the address, so that requests go to the same service. Omits other settings if the env file sets them.
  const isNamed = (name: SettingName): boolean =>
    from.get(name) === 'flag' ||
    name === 'TARGET_BASE_URL' ||
    (name === 'TARGET_ENDPOINTS' && from.get(name) !== 'file')
  const carried = settingTable
    .filter((setting) => isCarried(setting) && isNamed(setting.name))
    .flatMap(({ name, flag, argument, kind }) => {
      const text = texts[name]
      if (flag === null || text === undefined) return []
      return argument === null ? [`--${flag}`] : [`--${flag}`, kind === 'path' ? shown(text) : text]
    })
  return [...(envFile === null ? [] : ['--settings-file', shown(envFile)]), ...carried]
}

const carriedGroups: readonly string[] = ['The target', 'Fixtures', 'Pace and bounds', 'Connection']

function isCarried({ name, group, secret }: Setting): boolean {
  const isForReportsOnly = ['TARGET_LABEL', 'TARGET_BUILD', 'RUN_MAX_MINUTES'].includes(name)
  const isOfCases = ['RUN_SUITES', 'RUN_TRACE'].includes(name)
  return !secret && (carriedGroups.includes(group) || isOfCases) && !isForReportsOnly
}
