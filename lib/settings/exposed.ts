import type { Texts } from './gather.ts'
import { holdsSecret } from './hide-secrets.ts'
import type { Mistake } from './mistake.ts'
import { settingTable } from './setting-table.ts'
import type { Setting } from './setting.ts'

/** Below this a credential occurs by chance in what a user words: a shorter one counts only where it is the whole text. */
const shortestInWords = 4

/** Below this it may be a part of a host or of a path that the user did not choose. */
const shortestInPlaces = 8

/** A mistake for every setting that stands in reports, or on the terminal, and holds one of these credentials. */
export function exposedCredentials(texts: Texts, credentials: readonly string[]): readonly Mistake[] {
  return settingTable.flatMap((setting) => {
    const text = texts[setting.name] ?? ''
    return isExposed(setting, text, credentials) ? [exposed(setting.name, text)] : []
  })
}

/** A text that holds a credential, as a mistake; it shows the text, for `hideSecrets`. */
export function exposed(setting: string, given: string): Mistake {
  const expected = 'a text without any of the configured credentials, since it stands in reports in clear'
  return { setting, given, expected, hint: null }
}

/** Whether a text that a user worded holds one of these credentials. */
export function isExposedIn(words: string, credentials: readonly string[]): boolean {
  return holdsSecret(
    words,
    credentials.filter((one) => one.length >= shortestInWords || one === words),
  )
}

function isExposed({ name, kind }: Setting, text: string, credentials: readonly string[]): boolean {
  const long = credentials.filter((one) => one.length >= shortestInPlaces)
  switch (kind) {
    case 'text':
      // Where no proxy goes stands in no report.
      return name !== 'NO_PROXY' && isExposedIn(text, credentials)
    case 'endpoint':
      return isExposedIn(text, credentials)
    case 'base-url':
      return isExposedIn(pathOf(text), credentials) || holdsSecret(text, long)
    case 'path':
      return holdsSecret(text, long)
    case 'query':
      // Has a check of its own: it goes into a URL.
      return false
    case 'rules':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'choice':
      // Their grammar leaves no room for a credential: the ids of rules, numbers, words of ours.
      return false
    case 'credential':
    case 'proxy':
      return false
  }
}

function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/i, '')
}
