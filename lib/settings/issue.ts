import { printable } from './printable.ts'
import { settingNamed } from './setting-table.ts'

/** Something wrong with the settings or the user's files, as data. */
export interface SettingIssue {
  /** The setting's name, as in the environment; or the unknown name, or `--env-file`. */
  readonly setting: string
  /** Never a secret's value, control characters escaped, at most 80 characters; null if nothing was given. */
  readonly given: string | null
  readonly expected: string
  readonly hint: string | null
}

/** What a text or a file was read as, and what is wrong with it; with issues the value is the best known. */
export interface Parsed<Value> {
  readonly value: Value
  readonly issues: readonly SettingIssue[]
}

/** An issue of a setting; what is left out is null. */
export function issue(
  setting: string,
  about: Pick<SettingIssue, 'expected'> & Partial<SettingIssue>,
): SettingIssue {
  return { given: null, hint: null, ...about, setting }
}

/** A value with the issues found in reading it. */
export function parsed<Value>(value: Value, ...issues: readonly SettingIssue[]): Parsed<Value> {
  return { value, issues }
}

/** A hint for a name that was probably meant; null for none. */
export function didYouMean(name: string | null): string | null {
  return name === null ? null : `did you mean ${name}?`
}

/** Maximum length of the `given` that an issue shows, in characters. */
const longestGiven = 80

/** A text escaped and cut to what an issue may show. */
export function shortened(text: string): string {
  const characters = Array.from(printable(text))
  return characters.length > longestGiven
    ? `${characters.slice(0, longestGiven - 1).join('')}…`
    : characters.join('')
}

/** Issues as text for a terminal: a block for each, with the setting and its flag, what was given, what is expected, a hint. */
export function describeIssues(issues: readonly SettingIssue[]): string {
  const count = issues.length === 1 ? 'One mistake' : `${issues.length} mistakes`
  const headline = `${count} in the settings; nothing was sent.`
  return `${[headline, ...issues.map(block)].join('\n\n')}\n`
}

function block({ setting, given, expected, hint }: SettingIssue): string {
  const lines = [
    heading(setting),
    `  given     ${given ?? 'nothing'}`,
    `  expected  ${expected}`,
    ...(hint === null ? [] : [`  hint      ${hint}`]),
  ]
  return lines.join('\n')
}

function heading(name: string): string {
  const setting = settingNamed(name)
  if (setting === null) return name
  return setting.flag === null ? `${name} (environment or .env)` : `${name} (--${setting.flag})`
}
