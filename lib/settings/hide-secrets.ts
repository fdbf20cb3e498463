import { likenessFinder, type LikenessFinder } from '../redact/likeness.ts'
import { redactorFor } from '../redact/redact.ts'
import type { Secret } from '../redact/secret.ts'
import { documentedPairs } from '../specification/answers.ts'
import { specCatalogue } from '../specification/catalogue.ts'
import { listPath, requiredFields } from '../specification/endpoints.ts'
import { issue, shortened, type SettingIssue } from './issue.ts'
import { printable } from '../text/printable.ts'
import { settingNamed, settingTable, type Setting, type Texts } from './setting-table.ts'

/** Minimum length of a likeness that counts, in characters, where users did not choose the words. */
const fewest = { anywhere: 0, inFileNames: 8, inAddresses: 12 } as const

/** The one question for all that users type and others may read: does it hold a credential? */
export interface CredentialSearch {
  /** Name of a credential of which a text holds three quarters or more, in a row, in any spelling; or null. */
  in(text: string, place?: keyof typeof fewest): string | null
  /** Replaces whole credentials that do not occur in our own words by chance. */
  mask(text: string): string
}

/** What anybody may read: a user repeats it in waivers and paths. */
const publicWords = [
  listPath,
  ...requiredFields,
  ...settingTable.map(({ name }) => name),
  ...documentedPairs.map(({ errorMessage }) => errorMessage),
  ...Array.from(specCatalogue, ([id, { says }]) => `${id}: ${says}`),
]

/** Makes the search for these credentials. */
export function credentialSearch(credentials: readonly Secret[]): CredentialSearch {
  const finders = new Map<number, LikenessFinder>()
  const long = credentials.filter((one) => one.reveal().length >= fewest.inFileNames)
  const redactor = redactorFor(long)
  return {
    mask: (text) => redactor.mask(text),
    in(text, place = 'anywhere') {
      const least = fewest[place]
      const find = finders.get(least) ?? likenessFinder(credentials, { publicWords, fewest: least })
      finders.set(least, find)
      return find(text)
    },
  }
}

/** Finds nothing: no credential is configured. */
export const noCredentials = credentialSearch([])

/**
 * Makes issues safe to show: replaces each text that holds a credential, escapes and cuts the rest. Works on raw, whole texts: a cut
 * or an escape could leave half a credential unrecognised.
 */
export function hideSecrets(
  issues: readonly SettingIssue[],
  search: CredentialSearch,
  texts: Texts = {},
): readonly SettingIssue[] {
  // An issue may show a part of its setting, and so a part of a credential.
  const exposedBy = (setting: string): string | null => {
    const known = settingNamed(setting)
    return known === null || known.secret ? null : search.in(texts[known.name] ?? '')
  }
  return issues.map(({ setting, given, expected, hint }) => {
    const hidden = exposedBy(setting)
    const found = hidden ?? (given === null ? null : search.in(given))
    return {
      setting: shortened(setting),
      given: given === null ? null : found === null ? shortened(given) : unshown(given, found),
      expected: printable(shownExpected(expected, search)),
      hint: hint === null || hidden !== null || search.in(hint) !== null ? null : printable(hint),
    }
  })
}

function unshown(given: string, name: string): string {
  return `a value of ${given.length} characters, not shown since it holds ${name} or most of it`
}

/** Mostly our own words, with a path or property of the user's. */
function shownExpected(expected: string, search: CredentialSearch): string {
  const masked = search.mask(expected)
  const found = search.in(masked)
  return found === null ? masked : `another value; more is not shown, since it holds ${found} or most of it`
}

/** Issues for settings shown in reports or on the terminal that hold a credential. */
export function exposedCredentials(texts: Texts, search: CredentialSearch): readonly SettingIssue[] {
  return settingTable.flatMap((setting) => {
    const text = texts[setting.name] ?? ''
    return isExposed(setting, text, search) ? [exposed(setting.name, text)] : []
  })
}

/** Issue of a text that holds a credential; shows the text, for {@link hideSecrets}. */
export function exposed(setting: string, given: string): SettingIssue {
  const expected = 'a text without any of the configured credentials, since it stands in reports in clear'
  return issue(setting, { given, expected })
}

/** Rules, numbers and fixed words cannot hold a credential; a query has its own check, since it goes into a URL. */
function isExposed({ name, kind }: Setting, text: string, search: CredentialSearch): boolean {
  if (kind === 'path') return search.in(text, 'inFileNames') !== null
  if (kind === 'base-url') return search.in(text.replace(/^https?:\/\//i, ''), 'inAddresses') !== null
  // No report shows NO_PROXY.
  const isShown = kind === 'endpoint' || (kind === 'text' && name !== 'NO_PROXY')
  return isShown && search.in(text) !== null
}
