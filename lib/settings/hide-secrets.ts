import { traceFinder, type TraceFinder } from '../redact/redact.ts'
import { levelsOf, type Secret } from '../redact/secret.ts'
import { documentedPairs } from '../specification/answers.ts'
import { listPath, requiredFields } from '../specification/endpoints.ts'
import { specCatalogue } from '../specification/rules.ts'
import { printable } from '../text/printable.ts'
import { issue, shortened, type SettingIssue } from './issue.ts'
import { settingNamed, settingTable, type Setting, type Texts } from './setting-table.ts'

/** Minimum length, in characters, of a credential that is searched for within a text; longer in text that users did not write. */
const shortest = { anywhere: 3, inFileNames: 8, inAddresses: 12 } as const
/** Where a text is shown. */
type Place = keyof typeof shortest

/** Minimum share of a credential that counts as a match, and its minimum length in characters. */
const share = 0.75
const fewest = 8

/** Finds credentials in text that users type and others may read. */
export type CredentialSearch = ReturnType<typeof credentialSearch>

/** Public text that users repeat in waivers and paths. */
const publicWords = [
  listPath,
  ...requiredFields,
  ...settingTable.map(({ name }) => name),
  ...documentedPairs.map(({ errorMessage }) => errorMessage),
  ...Array.from(specCatalogue, ([id, { says }]) => `${id}: ${says}`),
]

/** Creates a search for these credentials. */
export function credentialSearch(credentials: readonly Secret[]) {
  const words = publicWords.join('\n').toLowerCase()
  const unusual = credentials.filter((credential) => !words.includes(credential.reveal().toLowerCase()))
  const finders: Partial<Record<Place, TraceFinder>> = {}
  const finderFor = (place: Place) => {
    const long = unusual.filter((credential) => credential.reveal().length >= shortest[place])
    return traceFinder(long, { share, fewest: Math.max(fewest, shortest[place]), publicWords })
  }
  /** The name of a credential of which a text contains at least three quarters in a row, in a common spelling; or null. */
  return (text: string, place: Place = 'anywhere') => {
    const isWhole = place === 'anywhere' && text !== ''
    const whole = isWhole ? credentials.find((credential) => credential.reveal() === text) : undefined
    const find = (finders[place] ??= finderFor(place))
    return (whole ?? find(levelsOf(text))[0]?.secret)?.name ?? null
  }
}

/**
 * Makes issues safe to show by replacing each text that contains a credential, and escaping and shortening the others. Needs raw, complete
 * text, because half a credential, or an escaped one, might not be recognised.
 */
export function hideSecrets(
  issues: readonly SettingIssue[],
  search: CredentialSearch,
  texts: Texts = {},
): readonly SettingIssue[] {
  return issues.map(({ setting, given, expected, hint }) => {
    // An issue may show part of its setting, and therefore part of a credential.
    const known = settingNamed(setting)
    const hidden = known === null || known.secret ? null : search(texts[known.name] ?? '')
    const found = hidden ?? search(given ?? '')
    const inExpected = search(expected)
    return {
      setting: shortened(setting),
      given:
        given !== null && found !== null
          ? `a value of ${given.length} characters, hidden because it contains ${found} or most of it`
          : given && shortened(given),
      expected:
        inExpected === null
          ? printable(expected)
          : `a different value; the details are hidden because they contain ${inExpected} or most of it`,
      hint: hint === null || (hidden ?? search(hint)) !== null ? null : printable(hint),
    }
  })
}

/** Where reports or the terminal show settings of a kind. Numbers and fixed words cannot contain a credential. */
const shownIn: Readonly<Partial<Record<Setting['kind'], Place>>> = {
  path: 'inFileNames',
  'base-url': 'inAddresses',
  endpoint: 'anywhere',
  query: 'anywhere',
  rules: 'anywhere',
  text: 'anywhere',
}

/** Issues for settings with a credential that would be shown in reports or on the terminal. */
export function exposedCredentials(texts: Texts, search: CredentialSearch) {
  return settingTable.flatMap(({ name, kind }) => {
    const text = texts[name] ?? ''
    // No report shows NO_PROXY.
    const place = name === 'NO_PROXY' ? undefined : shownIn[kind]
    const shown = kind === 'base-url' ? text.replace(/^https?:\/\//i, '') : text
    return place === undefined ? [] : exposed(search, name, text, place, shown)
  })
}

/** The issue for a text if the part of it that is shown contains a credential. Has the raw text, which {@link hideSecrets} replaces. */
export function exposed(
  search: CredentialSearch,
  setting: string,
  given: string,
  place?: Place,
  shown = given,
) {
  const expected = 'a text without any of the configured credentials, because reports or logs show it'
  return search(shown, place) === null ? [] : [issue(setting, { given, expected })]
}
