import { areaOf, type Catalogue } from '../specification/rules.ts'
import { meant } from '../text/nearest.ts'
import { printable } from '../text/printable.ts'
import { settingNamed } from './setting-table.ts'

/** A problem in the settings or the user's files. */
export type SettingIssue = Readonly<{
  /** The setting's name as in the environment, the unknown name, or `--settings-file`. */
  setting: string
  /** Never a secret. Control characters are escaped, and the length is at most 80 characters. Null if nothing was given. */
  given: string | null
  expected: string
  hint: string | null
}>

/** A parsed value and its issues. If there are issues, the value is the best one known. */
export type Parsed<Value> = Readonly<{ value: Value; issues: readonly SettingIssue[] }>

/** An issue without its setting; omitted fields are null. */
export type IssueText = Pick<SettingIssue, 'expected'> & Partial<Pick<SettingIssue, 'given' | 'hint'>>

/** Creates an issue. */
export function issue(setting: string, about: IssueText): SettingIssue {
  return { given: null, hint: null, ...about, setting }
}

/** Pairs a value with its issues. */
export function parsed<Value>(value: Value, ...issues: readonly SettingIssue[]): Parsed<Value> {
  return { value, issues }
}

/** Unwraps parsed values and collects their issues. */
export class Collected {
  readonly issues: SettingIssue[] = []

  take<Value>({ value, issues }: Parsed<Value>) {
    this.issues.push(...issues)
    return value
  }
}

/** A hint with the name that was probably meant by a text. */
export function didYouMean(name: string) {
  return `did you mean ${name}?`
}

/** A hint with those of the names that were probably meant by a text, or null. */
export function hintFrom(names: readonly string[], text: string) {
  const likely = meant(text, names)
  return likely === null ? null : didYouMean(likely)
}

/** Maximum length of a shown `given`, in characters. */
const longestGiven = 80

/** Escapes and shortens a text for an issue. */
export function shortened(text: string) {
  const all = printable(text)
  const characters = Array.from(all)
  return characters.length > longestGiven ? `${characters.slice(0, longestGiven - 1).join('')}…` : all
}

/**
 * Formats issues for a terminal, each with its setting and flag, the given and expected values, and a hint. `sofar` is a clause that says
 * what has already been sent or written.
 */
export function describeIssues(issues: readonly SettingIssue[], sofar = 'nothing was sent') {
  const count = issues.length === 1 ? 'One mistake' : `${issues.length} mistakes`
  const blocks = issues.map(({ setting: name, given, expected, hint }) => {
    const setting = settingNamed(name)
    const place = setting?.flag ? `--${setting.flag}` : 'environment or .env'
    const named = setting === null ? name : `${name} (${place})`
    const known = `${named}\n  given     ${given ?? 'nothing'}\n  expected  ${expected}`
    return hint === null ? known : `${known}\n  hint      ${hint}`
  })
  return `${[`${count} in the settings; ${sofar}.`, ...blocks].join('\n\n')}\n`
}

/** A hint for an unknown id or glob, with the rules that have a similar id or area, or the list of all rules. */
export function ruleHint(text: string, catalogue: Catalogue) {
  const ids = [...catalogue.keys()]
  const globs = new Set(ids.map((id) => `${areaOf(id)}/*`))
  return hintFrom([...ids, ...globs], text) ?? 'the command rules lists all rules'
}
