import { meant } from './nearest.ts'

/**
 * How the text of a setting is read. The grammar of `base-url`, `credential`, `query`, `endpoint`, `rules` and `proxy` depends on
 * more than the text: each has a function of its own elsewhere, and any text passes here.
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
  /** As one would write it; absent if there is none, or if the profile or the address decides. */
  readonly default?: string
}

/** An entry of the table: what a setting is, and how its text becomes a value. */
export interface Grammar<Value> extends Help {
  readonly kind: SettingKind
  /** The flag's argument for `--help`, as `<url>`; null if the flag takes none, or there is no flag. */
  readonly argument: string | null
  readonly expected: string
  /** The value of a text; undefined where it is none. */
  readonly read: (text: string) => Value | undefined
  /** The value that somebody probably meant by a text that is none. */
  readonly meant?: (text: string) => string | null
}

/** The largest number that x-version, a seed or a bound may be: 2^31 - 1. */
export const largest = 2_147_483_647

/** Maximum length of a text that stands in a line of a report, in characters. */
const longestText = 200

const numberIn = (pattern: RegExp, isInRange: (value: number) => boolean) => (text: string) =>
  pattern.test(text) && isInRange(Number(text)) ? Number(text) : undefined

/** A whole number in digits, between bounds, both included. */
export function integer(argument: string, bounds: readonly [number, number], help: Help): Grammar<number> {
  const [minimum, maximum] = bounds
  const expected = `a whole number from ${minimum} to ${maximum}, written in digits only`
  const read = numberIn(/^(?:0|[1-9][0-9]*)$/, (value) => value >= minimum && value <= maximum)
  return { ...help, kind: 'integer', argument, expected, read, meant: digitsMeant }
}

/** A text with separators, a sign or leading zeros probably means its digits; one with a point does not. */
function digitsMeant(text: string): string | null {
  const digits = text.replaceAll(/[\s_,.'’]/g, '').replace(/^\+?0*(?=\d)/, '')
  return digits !== text && /^\d+$/.test(digits) && !/^\d+\.\d*$/.test(text) ? digits : null
}

/** A number above 0, perhaps with a fraction. */
export function decimal(argument: string, maximum: number, help: Help): Grammar<number> {
  const expected = `a number above 0 and at most ${maximum}, as 25 or 0.5`
  const read = numberIn(/^[0-9]+(?:\.[0-9]+)?$/, (value) => value > 0 && value <= maximum)
  return { ...help, kind: 'number', argument, expected, read }
}

/** A truth value, whose flag takes no argument. */
export function truth(about: string, help: Partial<Help> = {}): Grammar<boolean> {
  const expected = 'true or false (yes, no, 1 and 0 will do)'
  const read = (text: string): boolean | undefined => {
    if (/^(?:true|yes|1)$/i.test(text)) return true
    return /^(?:false|no|0)$/i.test(text) ? false : undefined
  }
  return { ...help, about, kind: 'boolean', argument: null, expected, read }
}

/** One of several words. */
export function choice<const Choice extends string>(
  argument: string,
  choices: readonly Choice[],
  help: Help,
): Grammar<Choice> {
  const expected = `one of ${choices.join(', ')}`
  const read = (text: string): Choice | undefined => choices.find((one) => one === text)
  return { ...help, kind: 'choice', argument, expected, read, meant: (text) => meant(text, choices) }
}

/** Words of the user's that reports show. */
export function words(argument: string | null, help: Help): Grammar<string> {
  const expected = `at most ${longestText} characters, without line breaks and other control characters`
  const isFit = (text: string): boolean => Array.from(text).length <= longestText && !/\p{Cc}/u.test(text)
  return { ...help, kind: 'text', argument, expected, read: (text) => (isFit(text) ? text : undefined) }
}

/** The path of a file or a folder. */
export function path(argument: string, help: Help): Grammar<string> {
  const expected = 'a text without line breaks and other control characters'
  const read = (text: string): string | undefined => (/\p{Cc}/u.test(text) ? undefined : text)
  return { ...help, kind: 'path', argument, expected, read }
}

/** A text whose grammar is checked elsewhere. */
export function anyText(kind: SettingKind, argument: string | null, help: Help): Grammar<string> {
  return { ...help, kind, argument, expected: 'a text', read: (text) => text }
}

/** A secret without a flag, since flags show in the process list. */
export function credential(about: string): Grammar<string> {
  return anyText('credential', null, { about })
}
