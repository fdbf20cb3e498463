import { stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { defaultVersion } from '../specification/endpoints.ts'
import type { Catalogue } from '../specification/rules.ts'
import { readConnection } from './connection-settings.ts'
import type { EndpointEntry } from './endpoints-file.ts'
import { Collected, issue, parsed } from './issue.ts'
import { profiles } from './profiles.ts'
import type { Clients, ResolvedTarget } from './read-target.ts'
import { readOnly } from './selection.ts'
import { largest, type Checked } from './setting-table.ts'
import type { SettingsInput, Sources } from './sources.ts'
import { behindLink, shownPath } from './user-file.ts'
import type { Waiver } from './waivers.ts'

/** All checked settings of a run. */
export interface Settings {
  readonly target: TargetSettings
  readonly fixtures: Readonly<ReturnType<typeof readFixtures>['value']>
  readonly run: RunSettings
}

/** Settings that determine who receives credentials and who can read them in transit. */
const connectionSettings = ['TARGET_BASE_URL', 'HTTPS_PROXY', 'RUN_CA_FILE'] as const

/** One of the {@link connectionSettings}. */
export type ConnectionSetting = (typeof connectionSettings)[number]

/** Settings that describe the target. */
export type TargetSettings = Readonly<ReturnType<typeof targetSettings>>

/** Describes the target. `from` has the sources of settings if the user named no env file. */
export function targetSettings(
  checked: Checked,
  resolved: ResolvedTarget,
  client: Clients['target'],
  more: { readonly endpoints: readonly EndpointEntry[]; readonly from: Sources['from'] | null },
) {
  return {
    /**
     * Absolute http(s) URL without a trailing slash, query, fragment or user info; may have a path prefix. Null for `embedded` until it
     * listens.
     */
    baseUrl: resolved.kind === 'address' && checked.TARGET_BASE_URL ? resolved.address.baseUrl : null,
    embedded: resolved.kind === 'embedded',
    version: versionOf(checked),
    /** A query that the list endpoint needs, without `?`. */
    query: checked.TARGET_QUERY ?? null,
    label: checked.TARGET_LABEL ?? null,
    /** Any text; `sha256:…` becomes the subject of the evidence. */
    build: checked.TARGET_BUILD ?? null,
    /** Null for `embedded` until it listens. */
    client,
    /** Additional endpoints, from TARGET_ENDPOINTS. */
    endpoints: more.endpoints,
    /** Settings that came only from a `.env` that the user did not name. */
    fromEnvFile: connectionSettings.filter((name) => more.from?.get(name) === 'file'),
  }
}

/** The version sent in requests: an integer, as text. */
function versionOf({ TARGET_VERSION }: Checked): string {
  return String(TARGET_VERSION ?? defaultVersion)
}

/** Reads the clients and inputs with known behaviour. */
export function readFixtures(checked: Checked, clients: Clients) {
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
  const version = versionOf(checked)
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
export async function readRun(
  checked: Checked,
  resolved: ResolvedTarget,
  catalogue: Catalogue,
  { cwd, now }: SettingsInput,
  known: { readonly waivers: readonly Waiver[]; readonly replayFlags: readonly string[] },
) {
  const parts = new Collected()
  const profile = profiles[checked.RUN_PROFILE ?? 'gate']
  const { RUN_REPORTS_DIR: folder = 'reports' } = checked
  const isFile = (await stat(resolve(cwd, folder)).catch(() => null))?.isDirectory() === false
  const given = `${folder} (a file)`
  const expected = 'a folder, which is created if it is missing'
  if (isFile) parts.issues.push(issue('RUN_REPORTS_DIR', { given, expected }))
  const reportsDir = resolve(cwd, isFile ? 'reports' : folder)
  const { RUN_HISTORY: history, RUN_SIGNING_KEY_FILE: signingKey } = checked
  const unnamed = join(reportsDir, 'history.jsonl')
  const named = history === undefined ? null : resolve(cwd, history)
  const isLocal = resolved.kind === 'embedded' || (resolved.kind === 'address' && resolved.address.loopback)
  const value = {
    ...known,
    profile: checked.RUN_PROFILE ?? ('gate' as const),
    /** Whether a breach of an implied rule is a violation. */
    strict: checked.RUN_STRICT ?? profile.strict,
    seed: checked.RUN_SEED ?? profile.seed(now),
    fuzzCases: checked.RUN_FUZZ_CASES ?? profile.fuzzCases,
    /** The ids and globs of the rules to judge, or null for all. */
    only: parts.take(readOnly(checked.RUN_ONLY, catalogue)),
    /** Limits each rule to one case. */
    essential: checked.RUN_ESSENTIAL ?? false,
    /** Judges only rules that failed or were inconclusive in the last run. */
    failed: checked.RUN_FAILED ?? false,
    /** Whether every request names the suite. */
    identify: checked.RUN_IDENTIFY ?? false,
    maxRequests: checked.RUN_MAX_REQUESTS ?? profile.maxRequests,
    maxExhaust: checked.RUN_MAX_EXHAUST ?? 1_000,
    /** Null means unlimited. */
    maxRps: checked.RUN_MAX_RPS ?? (isLocal ? null : politeRate),
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
    signingKeyFile: signingKey === undefined ? null : resolve(cwd, signingKey),
    /** Days for which the verdict is valid; null if unlimited. */
    validDays: checked.RUN_VALID_DAYS ?? null,
    format: checked.RUN_FORMAT ?? ('text' as const),
    quiet: checked.RUN_QUIET ?? false,
    /** Whether each case sends a traceparent. */
    trace: checked.RUN_TRACE ?? false,
    ...parts.take(await readConnection(checked, cwd)),
  }
  return { value, issues: parts.issues }
}

/** The baseline file (absolute, as shown in reports, and as shown in replay lines) and how the run uses it; null if there is no baseline. */
function readBaseline(checked: Checked, cwd: string) {
  const { RUN_BASELINE: file, RUN_UPDATE_BASELINE: widens, RUN_RESET_BASELINE: replaces } = checked
  const mode: 'compare' | 'widen' | 'replace' = widens ? 'widen' : replaces ? 'replace' : 'compare'
  if (file === undefined && mode === 'compare') return parsed(null)
  if (file === undefined)
    return parsed(null, issue('RUN_BASELINE', { expected: 'the baseline file to widen or replace' }))
  if (widens && replaces) {
    const expected =
      'either RUN_UPDATE_BASELINE, which widens the baseline, or RUN_RESET_BASELINE, which replaces it'
    return parsed(null, issue('RUN_RESET_BASELINE', { given: 'true', expected }))
  }
  const shown = shownPath(file, cwd)
  return parsed({
    file: resolve(cwd, file),
    shown,
    again: isAbsolute(file) ? shown : file,
    mode,
  })
}
