import { isAbsolute, resolve } from 'node:path'
import { catalogueOf, specCatalogue, type DeclaredRules } from '../specification/rules.ts'
import { printable } from '../text/printable.ts'
import {
  credentialSearch,
  exposed,
  exposedCredentials,
  hideSecrets,
  type CredentialSearch,
} from './hide-secrets.ts'
import { Collected, parsed, type Parsed, type SettingIssue } from './issue.ts'
import { readList } from './json-file.ts'
import { readClients, resolveTarget, unusedByEmbedded, type ResolvedTarget } from './read-target.ts'
import { flagWords, settingTable, type Setting, type SettingName } from './setting-table.ts'
import { readFixtures, readRun, targetSettings, type Settings } from './settings.ts'
import {
  checkTexts,
  envFileNotices,
  readSources,
  without,
  type SettingsInput,
  type Sources,
} from './sources.ts'
import { shownPath } from './user-file.ts'
import { isExpired, utcDay, waiverSubject } from './waivers.ts'

/** Loads the user's areas from the folder RUN_SUITES (absolute); null if it is not set. */
type LoadOwn<Own> = (folder: string | null, search: CredentialSearch) => Promise<Parsed<readonly Own[]>>

/** Checked settings and notices, or all issues at once. */
export type SettingsResult<Own extends DeclaredRules = never> = Awaited<ReturnType<typeof readSettings<Own>>>

/** Reads and checks the settings from flags, environment and env file. Documented in `docs/settings.md`. */
export async function readSettings<Own extends DeclaredRules = never>(
  input: SettingsInput,
  loadOwn: LoadOwn<Own> = () => Promise.resolve(parsed([])),
) {
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

  const { RUN_SUITES: folder, TARGET_ENDPOINTS: file } = checked
  const own = parts.take(await loadOwn(folder === undefined ? null : resolve(cwd, folder), search))
  /** The rules of the specification and the user's. */
  const catalogue = new Map([...specCatalogue, ...catalogueOf(own)])
  // Loaded on demand, because Ajv is slow to load.
  const endpoints = await readList(
    {
      setting: 'TARGET_ENDPOINTS',
      file,
      cwd,
    },
    async () => {
      const { parseEndpoints } = await import('./endpoints-file.ts')
      return (source) => parseEndpoints(source, search)
    },
  )
  const target = targetSettings(checked, resolved, clients.target, {
    endpoints: parts.take(endpoints),
    from: envFile === null ? sources.from : null,
  })
  const fixtures = parts.take(readFixtures(checked, clients))
  const replayFlags = replayFlagsOf(input, { texts, from: sources.from })
  const waivers = await readList(
    {
      setting: 'RUN_WAIVERS',
      file: checked.RUN_WAIVERS,
      cwd,
    },
    async () => {
      const { parseWaivers } = await import('./waivers-file.ts')
      return (source) => parseWaivers(source, catalogue, search)
    },
  )
  const given = { waivers: parts.take(waivers), replayFlags }
  const run = parts.take(await readRun(checked, resolved, catalogue, input, given))
  const settings: Settings = { target, fixtures, run }
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
  /** Makes further issues safe to show. */
  const shown = (further: readonly SettingIssue[]) => hideSecrets(further, search, texts)
  const rules = { own, shown, catalogue }
  if (issues.length === 0) {
    const ofSettings = noticesOf(settings, resolved, unused, now)
    return {
      ...rules,
      kind: 'settings' as const,
      settings,
      notices: [...notices, ...ofSettings],
    }
  }
  /** The valid settings and the defaults of all others, for the verdict; nothing in them may be a credential. */
  const partial: Settings = {
    target: { ...target, endpoints: [] },
    fixtures,
    run: { ...run, waivers: [], httpsProxy: null, replayFlags: [] },
  }
  return {
    ...rules,
    kind: 'issues' as const,
    issues: shown(issues),
    partial,
    notices,
  }
}

const ownRulesLeftOut =
  'RUN_SUITES in .env is ignored, because it names code to run and you did not name that file: use --suites, the environment, or --settings-file .env'

function noticesOf(
  { target, run }: Settings,
  resolved: ResolvedTarget,
  unused: readonly SettingName[],
  now: Date,
): readonly string[] {
  const ignored = unused.filter((name) => name !== 'HTTPS_PROXY')
  const expired = run.waivers.filter((waiver) => isExpired(waiver, utcDay(now)))

  const isPlain = resolved.kind === 'address' && !resolved.address.encrypted && !resolved.address.loopback
  return [
    resolved.kind === 'embedded' &&
      "EMBEDDED REFERENCE SERVICE: these results are about the suite's own service, not about yours",
    ignored.length > 0 &&
      `ignored, because the embedded service has its own clients and fixtures: ${ignored.join(', ')}`,
    isPlain && `credentials are sent unencrypted to ${target.baseUrl ?? ''}; use https to protect them`,
    ...expired.map(
      (waiver) =>
        `the waiver for ${waiverSubject(waiver)} expired on ${waiver.expires} and covers nothing (owner: ${waiver.owner})`,
    ),
  ].flatMap((line) => (line === false ? [] : [printable(line)]))
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
    .flatMap(({ name, kind }) => {
      const text = texts[name]
      return text === undefined ? [] : flagWords(name, kind === 'path' ? shown(text) : text)
    })
  return [...(envFile === null ? [] : ['--settings-file', shown(envFile)]), ...carried]
}

const carriedGroups: readonly string[] = ['The target', 'Fixtures', 'Pace and bounds', 'Connection']

function isCarried({ name, group, secret }: Setting): boolean {
  const isForReportsOnly = ['TARGET_LABEL', 'TARGET_BUILD', 'RUN_MAX_MINUTES'].includes(name)
  const isOfCases = ['RUN_SUITES', 'RUN_TRACE'].includes(name)
  return !secret && (carriedGroups.includes(group) || isOfCases) && !isForReportsOnly
}
