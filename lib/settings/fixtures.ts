import type { Clients } from './clients.ts'
import { issue, type Parsed, type SettingIssue } from './issue.ts'
import { queryIssues, readEndpoint } from './request-grammar.ts'
import { largest } from './setting.ts'
import type { Checked, Texts } from './setting-table.ts'
import type { Fixtures } from './settings.ts'

/** What the fixtures are checked against. */
export interface FixtureInput {
  readonly checked: Checked
  readonly clients: Clients
  readonly version: string
  /** In clear, so that none slips into a URL. */
  readonly credentials: readonly string[]
}

/** Reads the fixtures, and checks that none contradicts the target or another. */
export function readFixtures({ checked, clients, version, credentials }: FixtureInput): Parsed<Fixtures> {
  const { FIXTURE_UNSUPPORTED_VERSION: given, FIXTURE_INVALID_QUERY: invalidQuery = null } = checked
  const unsupportedVersion = String(given ?? largest)
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
    given: given === undefined ? null : unsupportedVersion,
    expected: `a version that does not exist, so another than TARGET_VERSION (${version})`,
  })
  const issues = [
    ...(unsupportedVersion === version ? [sameVersion] : []),
    ...(invalidQuery === null ? [] : queryIssues('FIXTURE_INVALID_QUERY', invalidQuery, credentials)),
    ...endpoint.issues,
  ]
  return { value, issues }
}

/** The issue of a quota without the client that it belongs to. */
export function quotaWithoutClient(texts: Texts): readonly SettingIssue[] {
  const names = ['FIXTURE_DISPOSABLE_API_KEY', 'FIXTURE_DISPOSABLE_SECRET_KEY'] as const
  const { FIXTURE_DISPOSABLE_QUOTA: given } = texts
  if (given === undefined || names.some((name) => texts[name] !== undefined)) return []

  const expected = `the quota of a disposable client, together with ${names.join(' and ')}`
  const hint = 'give the client, or leave the quota out'
  return [issue('FIXTURE_DISPOSABLE_QUOTA', { given, expected, hint })]
}
