import { stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { defaultVersion } from '../specification/endpoints.ts'
import {
  catalogueOf,
  matchesGlob,
  specCatalogue,
  type Catalogue,
  type DeclaredRules,
} from '../specification/rules.ts'
import { printable } from '../text/printable.ts'
import {
  readConnection,
  resolveTarget,
  type ResolvedTarget,
  readClients,
  type Clients,
} from './connection-settings.ts'
import type { EndpointEntry } from './endpoints-file.ts'
import {
  credentialSearch,
  exposed,
  exposedCredentials,
  hideSecrets,
  type CredentialSearch,
} from './hide-secrets.ts'
import { Collected, issue, parsed, type Parsed, type SettingIssue, ruleHint } from './issue.ts'
import { readList } from './json-file.ts'
import { isSet } from './pipeline.ts'
import { profiles } from './profiles.ts'
import { flagWords, largest, settingTable, type Checked } from './setting-table.ts'
import {
  checkTexts,
  envFileNotices,
  readSources,
  without,
  type SettingsInput,
  type Sources,
} from './sources.ts'
import { behindLink, shownPath } from './user-file.ts'
import { isExpired, utcDay, waiverSubject, type Waiver } from './waivers.ts'

/** All checked settings of a run. */
export type Settings = Readonly<{
  target: TargetSettings
  fixtures: Readonly<ReturnType<typeof readFixtures>['value']>
  run: RunSettings
}>

/** Checked settings and notices, or all issues at once. */
export type SettingsResult<Own extends DeclaredRules = never> = Awaited<ReturnType<typeof readSettings<Own>>>

/**
 * Reads and checks the settings from flags, environment and env file. Documented in `docs/settings.md`. `loadOwn` loads the user's areas
 * from the folder RUN_SUITES (absolute); null if it is not set.
 */
export async function readSettings<Own extends DeclaredRules = never>(
  input: SettingsInput,
  loadOwn: (folder: string | null, search: CredentialSearch) => Promise<Parsed<readonly Own[]>> = async () =>
    parsed([]),
) {
  const sources = await readSources(input)
  const { cwd, envFile } = input
  const search = credentialSearch(sources.credentials)
  const parts = new Collected()

  const resolved = parts.take(resolveTarget(sources))
  const texts = without(sources.texts, resolved.unused)
  const leaks = exposedCredentials(texts, search)
  // A value that contains a credential is not used, because the terminal would show the folder name.
  const leaking = leaks.map(({ setting }) => setting)
  const checked = parts.take(checkTexts(without(texts, leaking)))
  const clients = parts.take(readClients(checked, texts, resolved.needsClient))

  const { RUN_SUITES: suites, TARGET_ENDPOINTS, RUN_WAIVERS } = checked
  const own = parts.take(await loadOwn(suites === undefined ? null : resolve(cwd, suites), search))
  /** The rules of the specification and the user's. */
  const catalogue = new Map([...specCatalogue, ...catalogueOf(own)])
  // Both parsers are loaded on demand, because Ajv is slow to load.
  const endpoints = await readList('TARGET_ENDPOINTS', TARGET_ENDPOINTS, { cwd, search }, async () => {
    return (await import('./endpoints-file.ts')).parseEndpoints
  })
  const target = targetSettings(checked, resolved, clients.target, {
    endpoints: parts.take(endpoints),
    from: envFile === null ? sources.from : null,
  })
  const fixtures = parts.take(readFixtures(checked, clients, target.version))
  const waivers = await readList('RUN_WAIVERS', RUN_WAIVERS, { cwd, search }, async () => {
    const { parseWaivers } = await import('./waivers-file.ts')
    return (source) => parseWaivers(source, catalogue)
  })
  const given = { waivers: parts.take(waivers), replayFlags: replayFlagsOf(input, { ...sources, texts }) }
  const run = parts.take(await readRun(checked, resolved, catalogue, input, given))
  const ofName = envFile === null ? [] : exposed(search, '--settings-file', envFile, 'inFileNames')
  const issues = [...sources.issues, ...sources.settled([...parts.issues, ...leaks, ...ofName])]
  const isLeftOut = envFile === null && isSet(sources.envFile.variables?.['RUN_SUITES'])
  const notices = [
    ...envFileNotices(sources.envFile, '--settings-file .env reads it'),
    ...(isLeftOut && suites === undefined ? [ownRulesLeftOut] : []),
  ]
  /** Makes further issues safe to show. */
  const shown = (further: readonly SettingIssue[]) => hideSecrets(further, search, texts)
  const rules = { own, shown, catalogue }
  if (issues.length === 0) {
    const settings: Settings = { target, fixtures, run }
    notices.push(...noticesOf(run, resolved, utcDay(input.now)))
    return { ...rules, kind: 'settings' as const, settings, notices }
  }
  /** The valid settings and the defaults of all others, for the verdict; nothing in them may be a credential. */
  const partial: Settings = {
    target: { ...target, endpoints: [] },
    fixtures,
    run: { ...run, waivers: [], httpsProxy: null, replayFlags: [] },
  }
  return { ...rules, kind: 'issues' as const, issues: shown(issues), partial, notices }
}

const ownRulesLeftOut =
  'RUN_SUITES in .env is ignored, because it names code to run and you did not name that file: use --suites, the environment, or --settings-file .env'

function noticesOf({ waivers }: RunSettings, { address, embedded, unused }: ResolvedTarget, today: string) {
  const ignored = unused.filter((name) => name !== 'HTTPS_PROXY')
  return [
    embedded &&
      "EMBEDDED REFERENCE SERVICE: these results are about the suite's own service, not about yours",
    ignored.length > 0 &&
      `ignored, because the embedded service has its own clients and fixtures: ${ignored.join(', ')}`,
    address?.loopback === false &&
      address.baseUrl.startsWith('http:') &&
      `credentials are sent unencrypted to ${address.baseUrl}; use https to protect them`,
    ...waivers.map(
      (waiver) =>
        isExpired(waiver, today) &&
        `the waiver for ${waiverSubject(waiver)} expired on ${waiver.expires} and covers nothing (owner: ${waiver.owner})`,
    ),
  ].flatMap((line) => (line === false ? [] : [printable(line)]))
}

/**
 * Arguments for a replay line that sends the same case from the same folder and environment. These are the env file, address, endpoints
 * file, and every flag that affects sending. The case name contains the seed, and the profile and selection never change a case. Readers
 * must name a file outside the folder themselves; see {@link shownPath}.
 */
function replayFlagsOf({ envFile, cwd }: SettingsInput, { texts, from }: Pick<Sources, 'texts' | 'from'>) {
  const shown = (file: string) => (isAbsolute(file) ? shownPath(file, cwd) : file)
  const carried = settingTable.flatMap(({ name, kind }) => {
    const { [name]: text } = texts
    // Always includes the address, so that requests go to the same service. Omits other settings if the env file sets them.
    const isNamed =
      from.get(name) === 'flag' ||
      name === 'TARGET_BASE_URL' ||
      (name === 'TARGET_ENDPOINTS' && from.get(name) !== 'file')
    if (text === undefined || !isNamed || !affectsSending.test(name)) return []
    return flagWords(name, kind === 'path' ? shown(text) : text)
  })
  return [...(envFile === null ? [] : ['--settings-file', shown(envFile)]), ...carried]
}

/** Settings that affect what a case sends. */
const affectsSending =
  /^(?:TARGET_(?!LABEL|BUILD)|FIXTURE_|RUN_(?:MAX_(?!MINUTES)|CONCURRENCY|TIMEOUT_|CA_|CERT_|KEY_|SUITES|TRACE))/

/** Settings that determine who receives credentials and who can read them in transit. */
const connectionSettings = ['TARGET_BASE_URL', 'HTTPS_PROXY', 'RUN_CA_FILE'] as const

/** Settings that describe the target. */
export type TargetSettings = Readonly<ReturnType<typeof targetSettings>>

/** Describes the target. `from` has the sources of settings if the user named no env file. */
function targetSettings(
  checked: Checked,
  { address, embedded }: ResolvedTarget,
  client: Clients['target'],
  known: Readonly<{ endpoints: readonly EndpointEntry[]; from: Sources['from'] | null }>,
) {
  return {
    /**
     * Absolute http(s) URL without a trailing slash, query, fragment or user info; may have a path prefix. Null for `embedded` until it
     * listens.
     */
    baseUrl: checked.TARGET_BASE_URL === undefined ? null : (address?.baseUrl ?? null),
    embedded,
    version: String(checked.TARGET_VERSION ?? defaultVersion),
    /** A query that the list endpoint needs, without `?`. */
    query: checked.TARGET_QUERY ?? null,
    label: checked.TARGET_LABEL ?? null,
    /** Any text; `sha256:…` becomes the subject of the evidence. */
    build: checked.TARGET_BUILD ?? null,
    /** Null for `embedded` until it listens. */
    client,
    /** Additional endpoints, from TARGET_ENDPOINTS. */
    endpoints: known.endpoints,
    /** Settings that came only from a `.env` that the user did not name. */
    fromEnvFile: connectionSettings.filter((name) => known.from?.get(name) === 'file'),
  }
}

/** Reads the clients and inputs with known behaviour. */
function readFixtures(checked: Checked, clients: Clients, version: string) {
  const { FIXTURE_UNSUPPORTED_VERSION: given, FIXTURE_INACTIVE_ENDPOINT: endpoint } = checked
  const unsupportedVersion = String(given ?? largest)
  const [method = '', path = ''] = endpoint?.split(' ') ?? []
  const { target: _, ...others } = clients
  const value = {
    ...others,
    /** A version that does not exist; an integer from 0 to 2147483647, as text. */
    unsupportedVersion,
    /** A query, without `?`, that the list endpoint must refuse with 1030. */
    invalidQuery: checked.FIXTURE_INVALID_QUERY ?? null,
    disposableQuota: checked.FIXTURE_DISPOSABLE_QUOTA ?? null,
    inactiveEndpoint: endpoint === undefined ? null : { method, path },
  }
  if (unsupportedVersion !== version) return parsed(value)
  const sameVersion = issue('FIXTURE_UNSUPPORTED_VERSION', {
    given: given === undefined ? `nothing, so ${unsupportedVersion}` : unsupportedVersion,
    expected: `a version that does not exist, so different from TARGET_VERSION (${version})`,
  })
  return parsed(value, sameVersion)
}

/** Settings of the run itself. */
export type RunSettings = Readonly<Awaited<ReturnType<typeof readRun>>['value']>

/** Default number of requests per second, chosen to be polite to a shared staging system. */
const politeRate = 25

/** Reads the settings of the run itself. */
async function readRun(
  checked: Checked,
  { address, embedded }: ResolvedTarget,
  catalogue: Catalogue,
  { cwd, now }: SettingsInput,
  known: Readonly<{ waivers: readonly Waiver[]; replayFlags: readonly string[] }>,
) {
  const parts = new Collected()
  const { RUN_PROFILE: profile = 'gate' } = checked
  const { strict, seed, fuzzCases, maxRequests } = profiles[profile]
  const { RUN_REPORTS_DIR: folder = 'reports', RUN_HISTORY: history, RUN_SIGNING_KEY_FILE: key } = checked
  const isFile = (await stat(resolve(cwd, folder)).catch(() => null))?.isDirectory() === false
  const given = `${folder} (a file)`
  const expected = 'a folder, which is created if it is missing'
  if (isFile) parts.issues.push(issue('RUN_REPORTS_DIR', { given, expected }))
  const reportsDir = resolve(cwd, isFile ? 'reports' : folder)
  const unnamed = join(reportsDir, 'history.jsonl')
  const named = history === undefined ? null : resolve(cwd, history)
  const value = {
    ...known,
    profile,
    /** Whether a breach of an implied rule is a violation. */
    strict: checked.RUN_STRICT ?? strict,
    seed: checked.RUN_SEED ?? seed(now),
    fuzzCases: checked.RUN_FUZZ_CASES ?? fuzzCases,
    /** The ids and globs of the rules to judge, or null for all. */
    only: parts.take(readOnly(checked.RUN_ONLY, catalogue)),
    /** Limits each rule to one case. */
    essential: checked.RUN_ESSENTIAL ?? false,
    /** Judges only rules that failed or were inconclusive in the last run. */
    failed: checked.RUN_FAILED ?? false,
    /** Whether every request names the suite. */
    identify: checked.RUN_IDENTIFY ?? false,
    maxRequests: checked.RUN_MAX_REQUESTS ?? maxRequests,
    maxExhaust: checked.RUN_MAX_EXHAUST ?? 1_000,
    /** Null means unlimited. */
    maxRps: checked.RUN_MAX_RPS ?? (embedded || address?.loopback === true ? null : politeRate),
    concurrency: checked.RUN_CONCURRENCY ?? 8,
    timeoutMs: checked.RUN_TIMEOUT_MS ?? 10_000,
    /** Maximum duration of the run, in minutes; may be a fraction. */
    maxMinutes: checked.RUN_MAX_MINUTES ?? 60,
    /** Absolute. */
    reportsDir,
    /** File for the run's history line; absolute. Follows only a link that the user named. */
    history: named === unnamed ? await behindLink(named) : (named ?? unnamed),
    baseline: parts.take(readBaseline(checked, cwd)),
    /** File of the private key that signs the reports at the end of the run, absolute; null if unsigned. */
    signingKeyFile: key === undefined ? null : resolve(cwd, key),
    /** Days for which the verdict is valid; null if unlimited. */
    validDays: checked.RUN_VALID_DAYS ?? null,
    format: checked.RUN_FORMAT ?? ('text' as const),
    quiet: checked.RUN_QUIET ?? false,
    /** Whether each case sends a traceparent. */
    trace: checked.RUN_TRACE ?? false,
    ...parts.take(await readConnection(checked, cwd)),
  }
  return parsed(value, ...parts.issues)
}

/** The baseline file (absolute, as shown in reports, and as shown in replay lines) and how the run uses it; null if there is no baseline. */
function readBaseline(checked: Checked, cwd: string) {
  const { RUN_BASELINE: file, RUN_UPDATE_BASELINE: widens, RUN_RESET_BASELINE: replaces } = checked
  const mode: 'compare' | 'widen' | 'replace' = widens ? 'widen' : replaces ? 'replace' : 'compare'
  const missing = issue('RUN_BASELINE', { expected: 'the baseline file to widen or replace' })
  if (file === undefined) return parsed(null, ...(mode === 'compare' ? [] : [missing]))
  if (widens && replaces) {
    const expected =
      'either RUN_UPDATE_BASELINE, which widens the baseline, or RUN_RESET_BASELINE, which replaces it'
    return parsed(null, issue('RUN_RESET_BASELINE', { given: 'true', expected }))
  }
  const shown = shownPath(file, cwd)
  return parsed({ file: resolve(cwd, file), shown, again: isAbsolute(file) ? shown : file, mode })
}

/** Reads a comma-separated list of rule ids and globs, without duplicates; `*` matches any characters. */
function readOnly(text: string | undefined, catalogue: Catalogue): Parsed<readonly string[] | null> {
  if (text === undefined) return parsed(null)
  const only = [...new Set(text.split(',').map((glob) => glob.trim()))].filter((glob) => glob !== '')
  const wrong = only.filter((glob) => ![...catalogue.keys()].some((id) => matchesGlob(glob, id)))
  const expected = 'the id of a rule, or a glob that matches at least one rule, such as authentication/*'
  const mistakes = (only.length === 0 ? [text] : wrong).map((given) =>
    issue('RUN_ONLY', { given, expected, hint: ruleHint(given, catalogue) }),
  )
  return parsed(only, ...mistakes)
}
