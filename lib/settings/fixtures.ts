import { listPath } from '../spec/endpoints.ts'
import type { Checked } from './check-texts.ts'
import type { Clients } from './clients.ts'
import type { Mistake, Part } from './mistake.ts'
import { queryMistakes } from './query.ts'
import type { Fixtures } from './settings.ts'
import { largest } from './setting.ts'

/** What the fixtures are checked against. */
export interface FixtureInput {
  readonly checked: Checked
  readonly clients: Clients
  readonly version: string
  /** In clear, so that none slips into a URL. */
  readonly credentials: readonly string[]
}

/** Reads the fixtures, and checks that none contradicts the target or another. */
export function readFixtures({ checked, clients, version, credentials }: FixtureInput): Part<Fixtures> {
  const unsupportedVersion = String(checked.FIXTURE_UNSUPPORTED_VERSION ?? largest)
  const invalidQuery = checked.FIXTURE_INVALID_QUERY ?? null
  const inactiveEndpoint = readEndpoint(checked.FIXTURE_INACTIVE_ENDPOINT)
  const { second, noCustomer, inactive, unauthorized, exhausted, disposable } = clients
  const value = {
    unsupportedVersion,
    invalidQuery,
    second,
    noCustomer,
    inactive,
    unauthorized,
    exhausted,
    disposable,
    disposableQuota: checked.FIXTURE_DISPOSABLE_QUOTA ?? null,
    inactiveEndpoint: inactiveEndpoint.value,
  }

  const mistakes = [
    ...sameVersion(checked, unsupportedVersion, version),
    ...(invalidQuery === null ? [] : queryMistakes('FIXTURE_INVALID_QUERY', invalidQuery, credentials)),
    ...inactiveEndpoint.mistakes,
  ]
  return { value, mistakes }
}

/** A quota without the client that it belongs to. */
export function quotaWithoutClient(texts: Readonly<Record<string, string | undefined>>): readonly Mistake[] {
  const names = ['FIXTURE_DISPOSABLE_API_KEY', 'FIXTURE_DISPOSABLE_SECRET_KEY'] as const
  const quota = texts['FIXTURE_DISPOSABLE_QUOTA']
  if (quota === undefined || names.some((name) => texts[name] !== undefined)) return []

  return [
    {
      setting: 'FIXTURE_DISPOSABLE_QUOTA',
      given: quota,
      expected: `the quota of a disposable client, together with ${names.join(' and ')}`,
      hint: 'give the client, or leave the quota out',
    },
  ]
}

function sameVersion(checked: Checked, unsupported: string, version: string): readonly Mistake[] {
  if (unsupported !== version) return []

  return [
    {
      setting: 'FIXTURE_UNSUPPORTED_VERSION',
      given: checked.FIXTURE_UNSUPPORTED_VERSION === undefined ? null : unsupported,
      expected: `a version that does not exist, so another than TARGET_VERSION (${version})`,
      hint: null,
    },
  ]
}

const endpoint = /^(?<method>[A-Z]+(?:-[A-Z]+)*) (?<path>\/api\/(?:[\w\-.~!$&'()*+,;=:@/]|%[\da-fA-F]{2})*)$/

function readEndpoint(text: string | undefined): Part<Fixtures['inactiveEndpoint']> {
  if (text === undefined) return { value: null, mistakes: [] }

  const { method, path } = endpoint.exec(text)?.groups ?? {}
  if (method === undefined || path === undefined) {
    return refused(
      text,
      'a method in capitals, one space and a path from /api/, as GET /api/…, without a query',
    )
  }
  if (method === 'GET' && path === listPath) {
    return refused(text, `another endpoint than GET ${listPath}, which must succeed`)
  }
  return { value: { method, path }, mistakes: [] }
}

function refused(given: string, expected: string): Part<null> {
  return {
    value: null,
    mistakes: [{ setting: 'FIXTURE_INACTIVE_ENDPOINT', given, expected, hint: null }],
  }
}
