import { issue, shortened, type SettingIssue } from './issue.ts'
import { printable } from './printable.ts'
import { settingNamed, settingTable, type Setting, type Texts } from './setting-table.ts'

/** Minimum lengths of a searched secret, in characters; a shorter one occurs by chance. */
const shortest = {
  /** In any text; a shorter secret must be the whole text. */
  anywhere: 3,
  /** Within words: a proxy's user `dev` occurs in `devices`. */
  withinWords: 4,
  /** In hosts and paths, which the user did not choose. */
  inPlaces: 8,
  /** In our own words. */
  inOwnWords: 8,
}

/**
 * Makes issues safe to show: replaces each text that holds a secret, escapes and cuts the rest. Works on raw, whole texts: a cut or
 * an escape could leave half a secret unrecognised.
 */
export function hideSecrets(
  issues: readonly SettingIssue[],
  secrets: readonly string[],
  texts: Texts = {},
): readonly SettingIssue[] {
  // An issue may show a part of its setting, and so a part of a secret.
  const isHidden = (setting: string): boolean => {
    const known = settingNamed(setting)
    return known !== null && !known.secret && holdsSecret(texts[known.name] ?? '', secrets)
  }
  return issues.map(({ setting, given, expected, hint }) => ({
    setting: shortened(setting),
    given: given === null ? null : isHidden(setting) ? unshown(given) : shownGiven(given, secrets),
    expected: printable(withoutSecrets(expected, secrets)),
    hint: hint === null || isHidden(setting) || holdsSecret(hint, secrets) ? null : printable(hint),
  }))
}

/** Whether a text holds one of the secrets, plain or as in a URL or JSON. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  const readings = [text, decoded(text)]
  return secrets
    .filter((secret) => secret !== '')
    .some((secret) =>
      readings.some((reading) => reading === secret || wordings(secret).some((one) => isIn(reading, one))),
    )
}

function isIn(text: string, wording: string): boolean {
  if (wording.length >= shortest.withinWords) return text.includes(wording)

  const literal = wording.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${literal}(?![\p{L}\p{N}])`, 'u').test(text)
}

/** Removes only the secret: `expected` is mostly our own words, with a path or property of the user's. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap(wordings)
    .filter((wording) => wording.length >= shortest.inOwnWords)
    .reduce((rest, wording) => rest.replaceAll(wording, '<a credential>'), text)
}

function shownGiven(given: string, secrets: readonly string[]): string {
  return holdsSecret(given, secrets) ? unshown(given) : shortened(given)
}

function unshown(given: string): string {
  return `a value of ${given.length} characters, not shown since it holds a credential`
}

/** Spellings of a secret that are long enough to search for. */
function wordings(secret: string): readonly string[] {
  const wellFormed = Buffer.from(secret).toString()
  const all = [secret, secret.trim(), encodeURIComponent(wellFormed), JSON.stringify(secret).slice(1, -1)]
  return all.filter((wording) => wording.length >= shortest.anywhere)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Issues for settings shown in reports or on the terminal that hold a credential. */
export function exposedCredentials(texts: Texts, credentials: readonly string[]): readonly SettingIssue[] {
  return settingTable.flatMap((setting) => {
    const text = texts[setting.name] ?? ''
    return isExposed(setting, text, credentials) ? [exposed(setting.name, text)] : []
  })
}

/** Issue of a text that holds a credential; shows the text, for {@link hideSecrets}. */
export function exposed(setting: string, given: string): SettingIssue {
  const expected = 'a text without any of the configured credentials, since it stands in reports in clear'
  return issue(setting, { given, expected })
}

/** Whether a user's text holds one of these credentials. */
export function isExposedIn(text: string, credentials: readonly string[]): boolean {
  const sought = credentials.filter((one) => one.length >= shortest.withinWords || one === text)
  return holdsSecret(text, sought)
}

/** Rules, numbers and fixed words cannot hold a credential; a query has its own check, since it goes into a URL. */
function isExposed({ name, kind }: Setting, text: string, credentials: readonly string[]): boolean {
  const long = credentials.filter((one) => one.length >= shortest.inPlaces)
  if (kind === 'path') return holdsSecret(text, long)
  if (kind === 'base-url') {
    return isExposedIn(text.replace(/^https?:\/\/[^/]*/i, ''), credentials) || holdsSecret(text, long)
  }
  // No report shows NO_PROXY.
  const isShown = kind === 'endpoint' || (kind === 'text' && name !== 'NO_PROXY')
  return isShown && isExposedIn(text, credentials)
}
