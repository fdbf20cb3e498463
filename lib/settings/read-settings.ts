import { resolve } from 'node:path'
import { idleEntries } from '../http/no-proxy.ts'
import { catalogueOf, specCatalogue, type Catalogue, type DeclaredArea } from '../specification/catalogue.ts'
import { ofClients } from '../specification/client-rows.ts'
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
import { readClients } from './read-clients.ts'
import {
  readFixtures,
  resolveTarget,
  unusedByEmbedded,
  versionOf,
  type ResolvedTarget,
} from './read-target.ts'
import { readRun, replayFlagsOf } from './run-settings.ts'
import type { SettingName, Texts } from './setting-table.ts'
import { connectionSettings, type Settings } from './settings.ts'
import { checkTexts, envFileNotices, readSources, type SettingsInput } from './sources.ts'
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
  const clients =
    resolved.kind === 'embedded' ? ofClients(() => null) : parts.take(readClients(texts, isRequired))
  const checked = parts.take(checkTexts(right))

  const shown = (further: readonly SettingIssue[]) => hideSecrets(further, search, texts)
  const { RUN_SUITES: folder, TARGET_ENDPOINTS: file } = checked
  const own = parts.take(await loadOwn(folder === undefined ? null : resolve(cwd, folder), search))
  const catalogue = new Map([...specCatalogue, ...catalogueOf(own)])
  // Loaded on demand, because Ajv is slow to load.
  const endpoints = await readList({ setting: 'TARGET_ENDPOINTS', file, cwd }, async () => {
    const { parseEndpoints } = await import('./endpoints-file.ts')
    return (source) => parseEndpoints(source, search)
  })
  const fromEnvFile = connectionSettings.filter((name) => envFile === null && sources.from[name] === 'file')
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
  const run = parts.take(await readRun({ checked, resolved, catalogue, search, cwd, now, replayFlags }))
  const settings = { target, fixtures, run }
  const found = [...parts.issues, ...leaks]
  const isNameExposed = envFile !== null && search.in(envFile, 'inFileNames') !== null
  const issues = [
    ...sources.issues,
    ...sources.settled(isNameExposed ? [...found, exposed('--settings-file', envFile)] : found),
  ]
  const left = envFile === null ? (sources.envFile.variables['RUN_SUITES'] ?? '') : ''
  const notices = [
    ...envFileNotices(sources.envFile, '--settings-file .env reads it'),
    ...(left.trim() !== '' && folder === undefined ? [ownRulesLeftOut] : []),
  ]
  const rules = { own, shown, catalogue }
  if (issues.length === 0) {
    const ofSettings = noticesOf(settings, { resolved, unused, now, shown: (text) => search.mask(text) })
    return { ...rules, kind: 'settings', settings, notices: [...notices, ...ofSettings] }
  }
  const isExposed = search.in(run.only?.join(',') ?? '') !== null
  const shownRun = {
    ...run,
    only: isExposed ? null : run.only,
    waivers: [],
    httpsProxy: null,
    replayFlags: [],
  }
  const partial = { target: { ...target, endpoints: [] }, fixtures, run: shownRun }
  return { ...rules, kind: 'issues', issues: shown(issues), partial, notices }
}

const ownRulesLeftOut =
  'RUN_SUITES in .env is ignored, because it names code to run and you did not name that file: use --suites, the environment, or --settings-file .env'

function without(texts: Texts, names: readonly string[]): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !names.includes(name)))
}

function idleEntry(entry: string): string {
  return `NO_PROXY: the entry ${entry} can never match; use a host (includes subdomains), .host, an address with or without :port, a network such as 10.0.0.0/8, or *`
}

interface Noticed {
  readonly shown: (text: string) => string
  readonly resolved: ResolvedTarget
  readonly unused: readonly SettingName[]
  readonly now: Date
}

function noticesOf({ target, run }: Settings, { resolved, unused, now, shown }: Noticed): readonly string[] {
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
    ...(run.httpsProxy !== null && resolved.kind === 'address' && resolved.address.encrypted
      ? idleEntries(run.noProxy ?? '').map((entry) => shown(idleEntry(entry)))
      : []),
    ...expired.map(
      (waiver) =>
        `the waiver for ${waiverSubject(waiver)} expired on ${waiver.expires} and covers nothing (owner: ${waiver.owner})`,
    ),
  ].map(printable)
}
