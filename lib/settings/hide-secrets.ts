import { levelsOf } from '../redact/readings.ts'
import { traceFinder, type TraceFinder } from '../redact/redact.ts'
import type { Secret } from '../redact/secret.ts'
import { documentedPairs } from '../specification/answers.ts'
import { listPath, requiredFields } from '../specification/endpoints.ts'
import { specCatalogue } from '../specification/rules.ts'
import { printable } from '../text/printable.ts'
import { issue, shortened, type SettingIssue } from './issue.ts'
import { settingNamed, settingTable, type Setting, type Texts } from './setting-table.ts'

/** Minimum length, in characters, of a credential that is searched for within a text; longer in text that users did not write. */
const shortest = { anywhere: 3, inFileNames: 8, inAddresses: 12 } as const
/** Minimum share of a credential that counts as a match, and its minimum length in characters. */
const [share, fewest] = [0.75, 8]

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
  const finderFor = (least: number): TraceFinder => {
    const long = unusual.filter((credential) => credential.reveal().length >= least)
    return traceFinder(long, { share, fewest: Math.max(fewest, least), publicWords })
  }
  const find = {
    anywhere: finderFor(shortest.anywhere),
    inFileNames: finderFor(shortest.inFileNames),
    inAddresses: finderFor(shortest.inAddresses),
  }
  return {
    /** The name of a credential of which a text contains at least three quarters in a row, in a common spelling; or null. */
    in(text: string, place: keyof typeof shortest = 'anywhere'): string | null {
      const whole =
        place === 'anywhere' && text !== ''
          ? credentials.find((credential) => credential.reveal() === text)
          : undefined
      return (whole ?? find[place](levelsOf(text))[0]?.secret)?.name ?? null
    },
  }
}

/** Finds nothing, because no credential is configured. */
export const noCredentials = credentialSearch([])

/**
 * Makes issues safe to show by replacing each text that contains a credential, and escaping and shortening the others. Needs raw, complete
 * text, because half a credential, or an escaped one, might not be recognised.
 */
export function hideSecrets(
  issues: readonly SettingIssue[],
  search: CredentialSearch,
  texts: Texts = {},
): readonly SettingIssue[] {
  // An issue may show part of its setting, and therefore part of a credential.
  const exposedBy = (setting: string): string | null => {
    const known = settingNamed(setting)
    return known === null || known.secret ? null : search.in(texts[known.name] ?? '')
  }
  return issues.map(({ setting, given, expected, hint }) => {
    const hidden = exposedBy(setting)
    const found = hidden ?? (given === null ? null : search.in(given))
    const inExpected = search.in(expected)
    return {
      setting: shortened(setting),
      given: given === null ? null : found === null ? shortened(given) : unshown(given, found),
      expected: printable(
        inExpected === null
          ? expected
          : `a different value; the details are hidden because they contain ${inExpected} or most of it`,
      ),
      hint: hint === null || hidden !== null || search.in(hint) !== null ? null : printable(hint),
    }
  })
}

function unshown(given: string, name: string): string {
  return `a value of ${given.length} characters, hidden because it contains ${name} or most of it`
}

/** Issues for settings with a credential that would be shown in reports or on the terminal. */
export function exposedCredentials(texts: Texts, search: CredentialSearch): readonly SettingIssue[] {
  return settingTable.flatMap((setting) => {
    const text = texts[setting.name] ?? ''
    return isExposed(setting, text, search) ? [exposed(setting.name, text)] : []
  })
}

/** The issue for a text that contains a credential. Shows the raw text, which {@link hideSecrets} replaces. */
export function exposed(setting: string, given: string): SettingIssue {
  const expected = 'a text without any of the configured credentials, because reports or logs show it'
  return issue(setting, { given, expected })
}

/** Numbers and fixed words cannot contain a credential. */
function isExposed({ name, kind }: Setting, text: string, search: CredentialSearch): boolean {
  if (kind === 'path') return search.in(text, 'inFileNames') !== null
  if (kind === 'base-url') return search.in(text.replace(/^https?:\/\//i, ''), 'inAddresses') !== null
  // No report shows NO_PROXY.
  const isShown = ['endpoint', 'query', 'rules', 'text'].includes(kind) && name !== 'NO_PROXY'
  return isShown && search.in(text) !== null
}
