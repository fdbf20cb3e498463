import { stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import type { Catalogue } from '../specification/catalogue.ts'
import { readCaFile, readClientCertificate, readProxy } from './connection-settings.ts'
import type { CredentialSearch } from './hide-secrets.ts'
import { Collected, issue, parsed, type Parsed } from './issue.ts'
import { readList } from './json-file.ts'
import { profiles } from './profiles.ts'
import type { ResolvedTarget } from './read-target.ts'
import { readOnly } from './selection.ts'
import { settingTable, type Checked, type Setting, type SettingName } from './setting-table.ts'
import type { RunSettings } from './settings.ts'
import { shownPath } from './shown-path.ts'
import type { SettingsInput, Sources } from './sources.ts'
import { behindLink } from './user-file.ts'

/** Default number of requests per second, chosen to be polite to a shared staging system. */
const politeRate = 25

/** The inputs from which the settings of a run are read. */
interface Given extends Pick<SettingsInput, 'cwd' | 'now'> {
  readonly checked: Checked
  readonly resolved: ResolvedTarget
  /** The rules that a run may judge. */
  readonly catalogue: Catalogue
  /** Keeps credentials out of reports. */
  readonly search: CredentialSearch
  readonly replayFlags: readonly string[]
}

/** Reads the run's settings, preferring the given values, then the profile's, then the table's defaults. */
export async function readRun(input: Given): Promise<Parsed<RunSettings>> {
  const { checked, resolved, search, cwd, catalogue, replayFlags } = input
  const parts = new Collected()
  const name = checked.RUN_PROFILE ?? 'gate'
  const profile = profiles[name]
  const only = parts.take(readOnly(checked.RUN_ONLY, catalogue))
  const reportsDir = parts.take(await readReportsDir(checked.RUN_REPORTS_DIR, cwd))
  const named = { setting: 'RUN_WAIVERS', file: checked.RUN_WAIVERS, cwd }
  const waivers = await readList(named, async () => {
    const { parseWaivers } = await import('./waivers-file.ts')
    return (source) => parseWaivers(source, catalogue, search)
  })
  const { RUN_HISTORY: history, RUN_SIGNING_KEY_FILE: signingKey } = checked
  const unnamed = join(reportsDir, 'history.jsonl')
  const given = history === undefined ? null : resolve(cwd, history)

  const value = {
    profile: name,
    strict: checked.RUN_STRICT ?? profile.strict,
    seed: checked.RUN_SEED ?? profile.seed(input.now),
    fuzzCases: checked.RUN_FUZZ_CASES ?? profile.fuzzCases,
    only,
    essential: checked.RUN_ESSENTIAL ?? false,
    failed: checked.RUN_FAILED ?? false,
    identify: checked.RUN_IDENTIFY ?? false,
    maxRequests: checked.RUN_MAX_REQUESTS ?? profile.maxRequests,
    maxExhaust: checked.RUN_MAX_EXHAUST ?? 1_000,
    maxRps: checked.RUN_MAX_RPS ?? rateFor(resolved),
    concurrency: checked.RUN_CONCURRENCY ?? 8,
    timeoutMs: checked.RUN_TIMEOUT_MS ?? 10_000,
    maxMinutes: checked.RUN_MAX_MINUTES ?? 60,
    reportsDir,
    // Follows only a link that the user named.
    history: given === unnamed ? await behindLink(given) : (given ?? unnamed),
    waivers: parts.take(waivers),
    baseline: parts.take(readBaseline(input)),
    signingKeyFile: signingKey === undefined ? null : resolve(cwd, signingKey),
    validDays: checked.RUN_VALID_DAYS ?? null,
    format: checked.RUN_FORMAT ?? 'text',
    quiet: checked.RUN_QUIET ?? false,
    trace: checked.RUN_TRACE ?? false,
    ca: parts.take(await readCaFile(checked.RUN_CA_FILE, cwd)),
    clientCertificate: parts.take(await readClientCertificate(checked, cwd)),
    httpsProxy: parts.take(readProxy(checked.HTTPS_PROXY)),
    noProxy: checked.NO_PROXY ?? null,
    replayFlags,
  }
  return { value, issues: parts.issues }
}

function rateFor(resolved: ResolvedTarget): number | null {
  const isLocal = resolved.kind === 'embedded' || (resolved.kind === 'address' && resolved.address.loopback)
  return isLocal ? null : politeRate
}

function readBaseline({ checked, cwd }: Given): Parsed<RunSettings['baseline']> {
  const { RUN_BASELINE: file, RUN_UPDATE_BASELINE: widens, RUN_RESET_BASELINE: replaces } = checked
  if (file === undefined) {
    const expected = 'the baseline file to widen or replace'
    return parsed(
      null,
      ...(widens === true || replaces === true ? [issue('RUN_BASELINE', { expected })] : []),
    )
  }
  if (widens === true && replaces === true) {
    const expected =
      'either RUN_UPDATE_BASELINE, which widens the baseline, or RUN_RESET_BASELINE, which replaces it'
    return parsed(null, issue('RUN_RESET_BASELINE', { given: 'true', expected }))
  }
  const mode = widens === true ? 'widen' : replaces === true ? 'replace' : 'compare'
  const shown = shownPath(file, cwd)
  return parsed({ file: resolve(cwd, file), shown, again: isAbsolute(file) ? shown : file, mode })
}

async function readReportsDir(text: string | undefined, cwd: string): Promise<Parsed<string>> {
  const fallback = resolve(cwd, 'reports')
  const folder = text === undefined ? fallback : resolve(cwd, text)
  const isFolderOrFree = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => true,
  )
  if (isFolderOrFree) return parsed(folder)

  const given = `${text ?? 'reports'} (a file)`
  const expected = 'a folder, which is created if it is missing'
  return parsed(fallback, issue('RUN_REPORTS_DIR', { given, expected }))
}

/**
 * Arguments for a replay line that sends the same case from the same folder and environment. These are the env file, address, endpoints
 * file, and every flag that affects sending. The case name contains the seed, and the profile and selection never change a case. Readers
 * must name a file outside the folder themselves; see {@link shownPath}.
 */
export function replayFlagsOf(
  { envFile, cwd }: Pick<SettingsInput, 'envFile' | 'cwd'>,
  { texts, from }: Pick<Sources, 'texts' | 'from'>,
): readonly string[] {
  const shown = (file: string): string => (isAbsolute(file) ? shownPath(file, cwd) : file)
  // Always includes the address, so that requests go to the same service. Omits other settings if the env file sets them.
  const isNamed = (name: SettingName): boolean =>
    from[name] === 'flag' ||
    name === 'TARGET_BASE_URL' ||
    (name === 'TARGET_ENDPOINTS' && from[name] !== 'file')
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
