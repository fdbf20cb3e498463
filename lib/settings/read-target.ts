import type { Catalogue } from '../specification/catalogue.ts'
import { defaultVersion } from '../specification/endpoints.ts'
import { parseBaseUrl, type Address } from './base-url.ts'
import type { CredentialSearch } from './hide-secrets.ts'
import { issue, parsed, type Parsed, type SettingIssue } from './issue.ts'
import { readList } from './json-file.ts'
import { distance } from '../text/nearest.ts'
import { queryIssues, readEndpoint } from './request-grammar.ts'
import { settingTable, type Checked, type SettingName, type Texts } from './setting-table.ts'
import { largest } from './setting.ts'
import type { Clients, ConnectionSetting, Fixtures, TargetSettings } from './settings.ts'
import { placesSearched, type Sources } from './sources.ts'

/** Target of the run. */
export type ResolvedTarget =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'address'; readonly address: Address }
  /** An issue says why. `remote` is false if the embedded service was probably meant, which needs no client. */
  | { readonly kind: 'unknown'; readonly remote: boolean }

/** Finds the target: an address, the embedded service, or an issue. */
export function resolveTarget(
  sources: Pick<Sources, 'texts' | 'complete' | 'envFile'>,
): Parsed<ResolvedTarget> {
  const { texts, complete } = sources
  const unresolved = (about: Partial<SettingIssue>, remote = true): Parsed<ResolvedTarget> => {
    const expected = 'the address of the service, or embedded'
    return parsed({ kind: 'unknown', remote }, issue('TARGET_BASE_URL', { expected, ...about }))
  }
  const text = texts.TARGET_BASE_URL
  if (text === 'embedded') return parsed({ kind: 'embedded' })
  if (text === '') {
    const hint = 'is the variable set from which --base-url was filled?'
    return unresolved({ given: 'an empty value', hint })
  }
  if (text !== undefined) return resolveAddress(text)
  if (!complete) return parsed({ kind: 'unknown', remote: true })

  const places = placesSearched(sources)
  const others = givenAmong(texts, (name) => isOfTarget(name) || name === 'RUN_PROFILE')
  if (others.length === 0) {
    const hint = `${places}; set TARGET_BASE_URL, TARGET_API_KEY and TARGET_SECRET_KEY, or ask for the suite's own reference service with --base-url embedded`
    return unresolved({ hint }, false)
  }
  const verb = others.length > 3 ? ' and others are' : others.length > 1 ? ' are' : ' is'
  return unresolved({ hint: `needed since ${others.slice(0, 3).join(', ')}${verb} given; ${places}` })
}

function resolveAddress(text: string): Parsed<ResolvedTarget> {
  const { value: address, issues } = parseBaseUrl(text)
  if (address !== null) return { value: { kind: 'address', address }, issues }
  return { value: { kind: 'unknown', remote: distance(text.toLowerCase(), 'embedded') > 2 }, issues }
}

/** Given settings that the embedded service ignores, since it has its own. */
export function unusedByEmbedded(texts: Texts): readonly SettingName[] {
  const used: readonly SettingName[] = ['TARGET_BASE_URL', 'TARGET_LABEL', 'TARGET_BUILD', 'TARGET_ENDPOINTS']
  return givenAmong(texts, (name) => !used.includes(name) && (isOfTarget(name) || name === 'HTTPS_PROXY'))
}

function givenAmong(texts: Texts, isWanted: (name: SettingName) => boolean): readonly SettingName[] {
  return settingTable.map(({ name }) => name).filter((name) => texts[name] !== undefined && isWanted(name))
}

function isOfTarget(name: SettingName): boolean {
  return /^(?:TARGET|FIXTURE)_/.test(name)
}

/** Checked texts and target, from which settings are read. */
export interface Given {
  readonly checked: Checked
  readonly resolved: ResolvedTarget
  readonly clients: Clients
  /** Keeps credentials out of URLs and reports. */
  readonly search: CredentialSearch
  readonly cwd: string
  readonly now: Date
  /** The rules that a run may judge. */
  readonly catalogue: Catalogue
  /** What only a `.env` gave that nobody named. */
  readonly fromEnvFile: readonly ConnectionSetting[]
  /** Settings that were given, and could not be read. */
  readonly misread: ReadonlySet<string>
}

/** Reads the target's settings. */
export async function readTarget(given: Given): Promise<Parsed<TargetSettings>> {
  const { checked, resolved, clients, search, cwd, fromEnvFile } = given
  const query = checked.TARGET_QUERY ?? null
  const file = checked.TARGET_ENDPOINTS
  // Ajv is slow to load, so only for such a file.
  const endpoints = await readList({ setting: 'TARGET_ENDPOINTS', file, cwd }, async () => {
    const { parseEndpoints } = await import('./endpoints-file.ts')
    return (source) => parseEndpoints(source, search)
  })
  const value = {
    baseUrl: resolved.kind === 'address' ? resolved.address.baseUrl : null,
    embedded: resolved.kind === 'embedded',
    version: versionOf(checked),
    query,
    label: checked.TARGET_LABEL ?? null,
    build: checked.TARGET_BUILD ?? null,
    client: clients.target,
    endpoints: endpoints.value,
    ...(fromEnvFile.length === 0 ? {} : { fromEnvFile }),
  }
  const ofQuery = query === null ? [] : queryIssues('TARGET_QUERY', query, search)
  return { value, issues: [...ofQuery, ...endpoints.issues] }
}

function versionOf({ TARGET_VERSION }: Checked): string {
  return String(TARGET_VERSION ?? defaultVersion)
}

/** Reads the fixtures and checks that they contradict neither the target nor each other. */
export function readFixtures({ checked, clients, search }: Given): Parsed<Fixtures> {
  const { FIXTURE_UNSUPPORTED_VERSION: given, FIXTURE_INVALID_QUERY: invalidQuery = null } = checked
  const unsupportedVersion = String(given ?? largest)
  const version = versionOf(checked)
  const endpoint = readEndpoint('FIXTURE_INACTIVE_ENDPOINT', checked.FIXTURE_INACTIVE_ENDPOINT)
  const { target: _, ...others } = clients
  const value = {
    ...others,
    unsupportedVersion,
    invalidQuery,
    disposableQuota: checked.FIXTURE_DISPOSABLE_QUOTA ?? null,
    inactiveEndpoint: endpoint.value,
  }

  const sameVersion = issue('FIXTURE_UNSUPPORTED_VERSION', {
    given: given === undefined ? `nothing, so ${unsupportedVersion}` : unsupportedVersion,
    expected: `a version that does not exist, so another than TARGET_VERSION (${version})`,
  })
  const issues = [
    ...(unsupportedVersion === version ? [sameVersion] : []),
    ...(invalidQuery === null ? [] : queryIssues('FIXTURE_INVALID_QUERY', invalidQuery, search)),
    ...endpoint.issues,
  ]
  return { value, issues }
}

/** Issue of a quota without its client. */
export function quotaWithoutClient(texts: Texts, misread: ReadonlySet<string>): readonly SettingIssue[] {
  const names = ['FIXTURE_DISPOSABLE_API_KEY', 'FIXTURE_DISPOSABLE_SECRET_KEY'] as const
  const { FIXTURE_DISPOSABLE_QUOTA: given } = texts
  if (given === undefined || names.some((name) => texts[name] !== undefined || misread.has(name))) return []

  const expected = `the quota of a disposable client, together with ${names.join(' and ')}`
  const hint = 'give the client, or leave the quota out'
  return [issue('FIXTURE_DISPOSABLE_QUOTA', { given, expected, hint })]
}
