import { meant } from '../text/nearest.ts'

/**
 * How a setting's text is read. `base-url`, `credential`, `query`, `endpoint`, `rules` and `proxy` depend on more than the text:
 * other functions check them, and any text passes here.
 */
export type SettingKind =
  | 'integer'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'text'
  | 'path'
  | 'base-url'
  | 'credential'
  | 'query'
  | 'endpoint'
  | 'rules'
  | 'proxy'

interface Help {
  /** One sentence for `--help`. */
  readonly about: string
  /** As a user would write it; absent if there is none, or if the profile or the address decides. */
  readonly default?: string
}

/** A setting in the table, and how its text becomes a value. */
export interface Grammar<Value> extends Help {
  readonly kind: SettingKind
  /** Flag argument for `--help`, as `<url>`; null if the flag takes none or does not exist. */
  readonly argument: string | null
  readonly expected: string
  /** Parses a text; undefined if it is invalid. */
  readonly read: (text: string) => Value | undefined
  /** Suggests a value for an invalid text. */
  readonly meant?: (text: string) => string | null
}

/** Maximum of x-version, a seed or a bound: 2^31 - 1. */
export const largest = 2_147_483_647

/** Maximum length of a text in a report's line, in characters. */
const longestText = 200

const numberIn = (pattern: RegExp, isInRange: (value: number) => boolean) => (text: string) =>
  pattern.test(text) && isInRange(Number(text)) ? Number(text) : undefined

/** Setting of a whole number in digits, within inclusive bounds. */
export function integer(argument: string, bounds: readonly [number, number], help: Help): Grammar<number> {
  const [minimum, maximum] = bounds
  const expected = `a whole number from ${minimum} to ${maximum}, written in digits only`
  const read = numberIn(/^(?:0|[1-9][0-9]*)$/, (value) => value >= minimum && value <= maximum)
  return { ...help, kind: 'integer', argument, expected, read, meant: digitsMeant }
}

/** Digits meant by a text with separators, a sign or leading zeros; not by one with a point. */
function digitsMeant(text: string): string | null {
  const digits = text.replaceAll(/[\s_,.'’]/g, '').replace(/^\+?0*(?=\d)/, '')
  return digits !== text && /^\d+$/.test(digits) && !/^\d+\.\d*$/.test(text) ? digits : null
}

/** Setting of a positive number, perhaps with a fraction. */
export function decimal(argument: string, maximum: number, help: Help): Grammar<number> {
  const expected = `a number above 0 and at most ${maximum}, as 25 or 0.5`
  const read = numberIn(/^[0-9]+(?:\.[0-9]+)?$/, (value) => value > 0 && value <= maximum)
  return { ...help, kind: 'number', argument, expected, read }
}

/** Boolean setting, whose flag takes no argument. */
export function truth(about: string, help: Partial<Help> = {}): Grammar<boolean> {
  const expected = 'true or false (yes, no, 1 and 0 will do)'
  const read = (text: string): boolean | undefined => {
    if (/^(?:true|yes|1)$/i.test(text)) return true
    return /^(?:false|no|0)$/i.test(text) ? false : undefined
  }
  return { ...help, about, kind: 'boolean', argument: null, expected, read }
}

/** Setting with fixed choices. */
export function choice<const Choice extends string>(
  argument: string,
  choices: readonly Choice[],
  help: Help,
): Grammar<Choice> {
  const expected = `one of ${choices.join(', ')}`
  const read = (text: string): Choice | undefined => choices.find((one) => one === text)
  return { ...help, kind: 'choice', argument, expected, read, meant: (text) => meant(text, choices) }
}

/** Setting of a user's words that reports show. */
export function words(argument: string | null, help: Help): Grammar<string> {
  const expected = `at most ${longestText} characters, without line breaks and other control characters`
  const isFit = (text: string): boolean => Array.from(text).length <= longestText && !/\p{Cc}/u.test(text)
  return { ...help, kind: 'text', argument, expected, read: (text) => (isFit(text) ? text : undefined) }
}

/** Setting of a path to a file or folder. */
export function path(argument: string, help: Help): Grammar<string> {
  const expected = 'a text without line breaks and other control characters'
  const read = (text: string): string | undefined => (/\p{Cc}/u.test(text) ? undefined : text)
  return { ...help, kind: 'path', argument, expected, read }
}

/** Setting whose grammar is checked elsewhere. */
export function anyText(kind: SettingKind, argument: string | null, help: Help): Grammar<string> {
  return { ...help, kind, argument, expected: 'a text', read: (text) => text }
}

/** Secret setting without a flag, since flags show in the process list. */
export function credential(about: string): Grammar<string> {
  return anyText('credential', null, { about })
}
