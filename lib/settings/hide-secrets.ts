import type { Texts } from './gather.ts'
import { shortened, type Mistake } from './mistake.ts'
import { printable } from './printable.ts'
import { settingNamed } from './setting-table.ts'

/** Below this a secret occurs in texts by chance, so only a text that equals it is hidden. */
const shortestFound = 3

/** Below this it occurs within words by chance, as the user of a proxy: `dev` in `devices`. */
const shortestInWords = 4

/** Below this a secret may be a word of ours. */
const shortestReplaced = 8

/**
 * Makes mistakes fit to be shown: a text that holds a secret is replaced as a whole, the rest is escaped and cut. Works on the
 * raw texts, of which `texts` holds the whole ones, since a cut or an escape could leave half a secret that is no longer recognised.
 */
export function hideSecrets(
  mistakes: readonly Mistake[],
  secrets: readonly string[],
  texts: Texts = {},
): readonly Mistake[] {
  // A mistake may show a part of its setting, as one id of a list, and that may be a part of a secret.
  const hidden = (setting: string) => {
    const known = settingNamed(setting)
    return known !== null && !known.secret && holdsSecret(texts[known.name] ?? '', secrets)
  }

  return mistakes.map(({ setting, given, expected, hint }) => ({
    setting: shortened(setting),
    given: given === null ? null : hidden(setting) ? unshown(given) : shownGiven(given, secrets),
    expected: printable(withoutSecrets(expected, secrets)),
    hint: hint === null || hidden(setting) || holdsSecret(hint, secrets) ? null : printable(hint),
  }))
}

/** Whether a text holds one of the secrets, plain or as it would stand in a URL or in JSON. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  const readings = [text, decoded(text)]

  return secrets
    .filter((secret) => secret !== '')
    .some((secret) =>
      readings.some((reading) => reading === secret || wordings(secret).some((one) => isIn(reading, one))),
    )
}

function isIn(text: string, wording: string): boolean {
  if (wording.length >= shortestInWords) return text.includes(wording)

  const literal = wording.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${literal}(?![\p{L}\p{N}])`, 'u').test(text)
}

/** What is expected is mostly our own words, and may name a path or a property of the user's: only the secret goes. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap(wordings)
    .filter((wording) => wording.length >= shortestReplaced)
    .reduce((rest, wording) => rest.replaceAll(wording, '<a credential>'), text)
}

function shownGiven(given: string, secrets: readonly string[]): string {
  return holdsSecret(given, secrets) ? unshown(given) : shortened(given)
}

function unshown(given: string): string {
  return `a value of ${given.length} characters, not shown since it holds a credential`
}

function wordings(secret: string): readonly string[] {
  const trimmed = secret.trim()
  const wellFormed = Buffer.from(secret).toString()
  const all = [secret, trimmed, encodeURIComponent(wellFormed), JSON.stringify(secret).slice(1, -1)]

  return all.filter((wording) => wording.length >= shortestFound)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
