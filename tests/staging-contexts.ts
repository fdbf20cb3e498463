import type { Credentials } from '../lib/redact/secret.ts'
import type { SuiteContext } from '../lib/engine/suite-context.ts'

/** An endpoints file with another path to ask, and one that must not be asked. */
export const endpoints = [
  { method: 'GET', path: '/api/cards/%C3%A9tages/x', versions: [7], query: { required: ['q'] } },
  { method: 'POST', path: '/api/cards', versions: [1] },
]

/**
 * Settings that differ in all that generators look at, by what is special about them; `file` holds {@link endpoints}. None of
 * the credentials holds anything of a payload.
 */
export function settingsWith(file: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return {
    'opaque credentials, a second client': {
      TARGET_QUERY: 'page=1&to=3',
      FIXTURE_SECOND_API_KEY: 'key-of-the-second-client-Zx81',
      FIXTURE_SECOND_SECRET_KEY: 'sec-of-the-second-client-Qw37',
    },
    'a UUID and base64, further endpoints': {
      TARGET_API_KEY: '3f2a9c0d-1e4b-5a67-89ab-cdef01234567',
      TARGET_SECRET_KEY: 'b3BlbiBzZXNhbWUgbm93IQ==',
      TARGET_VERSION: '3',
      TARGET_ENDPOINTS: file,
    },
    'signs of all sorts': {
      TARGET_API_KEY: 'ab:cd"ef\'gh%41\\ij,kl=mn/op+q',
      TARGET_SECRET_KEY: 'rs?tu&vw[xy]z{A}B~C^D@E!F*G:H I',
    },
    'credentials of a thousand characters': {
      TARGET_API_KEY: `ey${'Ab3-Cd9_'.repeat(125)}`,
      TARGET_SECRET_KEY: `sk${'Xy7.Zw2q'.repeat(125)}`,
    },
  }
}

/** Whose credentials are valid. */
export function clientsOf({ target, fixtures: { second } }: SuiteContext): readonly Credentials[] {
  return second === null ? [target] : [target, second]
}
